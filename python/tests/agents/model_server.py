"""A stand-in for a model that calls tools: a local server that speaks OpenAI's chat completions and its Responses API.

It is not a model. It finds cities in what the user says, and calls the tools of the weather for them.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ModelServer:
    """`url` is its address, `asked` the paths of its requests; where it `fails`, it refuses the key."""

    def __init__(self):
        self.asked, self.fails = [], False
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.asked.append(self.path)
                answer = {"/v1/chat/completions": chat, "/v1/responses": response}[self.path]
                refusal = {"error": {"message": "the key is wrong", "type": "invalid_request_error", "code": "invalid_api_key"}}
                body = json.dumps(refusal if server.fails else answer(request, len(server.asked))).encode()
                self.send_response(401 if server.fails else 200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


def turn(said, results):
    """What it says, and the calls that it makes, after all that the user said, and the results of its calls since then."""
    if results:
        return " ".join(results), []
    question = said[-1]
    if "difference" in question:
        return "Weather is what happens now; climate is what is usual.", []
    if "?" not in question and "please" not in question and "Give" not in question:
        return "How nice!", []
    cities = next((found for found in map(cities_of, reversed(said)) if found), [])
    ahead = any(word in question for word in ("forecast", "tomorrow"))
    calls = [("get_forecast", {"city": city, "days": 3}) if ahead else ("get_weather", {"city": city}) for city in cities]
    return ("" if calls else "Which city?"), calls


def cities_of(text):
    return [city for city in ("Oslo", "Lagos", "Bergen") if city in text]


def chat(request, number):
    messages = request["messages"]
    last = max(at for at, message in enumerate(messages) if message["role"] == "user")
    said = [message["content"] for message in messages if message["role"] == "user"]
    text, calls = turn(said, [message["content"] for message in messages[last:] if message["role"] == "tool"])
    made = [
        {"id": f"call_{number}_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for at, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text or None, **({"tool_calls": made} if made else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if made else "stop"}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    body = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": request["model"]}
    return {**body, "choices": [choice], "usage": usage}


def response(request, number):
    items = request["input"]
    last = max(at for at, item in enumerate(items) if item.get("role") == "user")
    said = [item["content"] for item in items if item.get("role") == "user"]
    text, calls = turn(said, [item["output"] for item in items[last:] if item.get("type") == "function_call_output"])
    made = [
        {
            "type": "function_call",
            "id": f"fc_{number}_{at}",
            "call_id": f"call_{number}_{at}",
            "name": name,
            "arguments": json.dumps(arguments),
            "status": "completed",
        }
        for at, (name, arguments) in enumerate(calls)
    ]
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
    usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    body = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": request["model"], "status": "completed"}
    return {**body, "output": made or [message], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage}
