"""A stand-in for a model: a local server that answers as OpenAI's would, by a rule of a few lines. No key, no network, no sense."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StandIn:
    """Answers each request with what `rule(prompt, earlier)` says, `earlier` being how often this prompt came before.

    The rule gives the text of the reply, or a number: the HTTP status to fail with. `requests` counts what has arrived.
    """

    def __init__(self, rule: Callable[[str, int], str | int]):
        self.rule, self.requests = rule, 0
        self._asked, self._lock = Counter(), threading.Lock()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = stand_in._answer(body["messages"][-1]["content"])
                payload = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/v1"

    def _answer(self, prompt: str) -> tuple[int, dict]:
        with self._lock:
            earlier = self._asked[prompt]
            self._asked[prompt] += 1
            self.requests += 1
        reply = self.rule(prompt, earlier)
        if isinstance(reply, int):
            return reply, {"error": {"message": "the stand-in is out of order"}}
        message = {"role": "assistant", "content": reply}
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(reply) // 4}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return 200, {"object": "chat.completion", "model": "stand-in", "choices": [choice], "usage": usage}
