"""Runs of `llm_classify` that Phoenix 2 and tooljudge are compared by, and the server that answers both.

`evals` is `phoenix.evals` or `tooljudge.phoenix`. `record_phoenix.py` writes what Phoenix makes of them to phoenix_recorded.json.
"""

import json
import threading
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd

RAILS = ["correct", "incorrect"]


class Server:
    """Answers as the prompt's last line of the kind `ANSWER label`, `SAYS text` or `FAILS code` asks for."""

    def __init__(self):
        # After so many requests the key is refused; so many requests fail at first; or a filter refuses all.
        self.breaks, self.filters = 0, False
        self.bodies, self.serves, server = [], float("inf"), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.bodies.append({**body, "path": self.path, "headers": dict(self.headers)})
                code, reply = server.reply(body)
                text = json.dumps(reply).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        class Http(ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 128

        self.http = Http(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def prompts(self):
        return ["\n\n".join(message["content"] for message in body["messages"]) for body in self.bodies]

    def reply(self, body):
        text = "\n".join(message["content"] for message in body["messages"])
        asked = [line.split(" ", 1) for line in text.split("\n") if line.startswith(("ANSWER ", "SAYS ", "FAILS "))]
        kind, what = asked[-1] if asked else ("ANSWER", "correct")
        if len(self.bodies) > self.serves:
            return 401, {"error": {"message": "key refused"}}
        if self.filters:
            return 400, {"error": {"code": "content_filter", "message": "filtered by the content management policy"}}
        if len(self.bodies) <= self.breaks:
            return 500, {"error": {"message": "broken"}}
        if kind == "FAILS":
            return int(what), {"error": {"message": "broken", "type": "server_error"}}
        message = {"role": "assistant", "content": what}
        if kind == "ANSWER" and "functions" in body:
            wanted = body["functions"][0]["parameters"]["properties"]
            given = {"explanation": "because", "response": what}
            arguments = json.dumps({name: given[name] for name in wanted})
            message.update(content=None, function_call={"name": body["functions"][0]["name"], "arguments": arguments})
        elif kind == "ANSWER" and "response_format" in body:
            wanted = body["response_format"]["json_schema"]["schema"]["properties"]
            given = {"explanation": "because", "label": what}
            message["content"] = json.dumps({name: given[name] for name in wanted})
        made = {"id": "x", "object": "chat.completion", "created": 1, "model": body["model"]}
        made["usage"] = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
        return 200, {**made, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


TEMPLATE = "Question: {question}\nCall: {tool_call}\n{end}"
FRAME = pd.DataFrame(
    {
        "question": ["Book a table", "Book {tool_call}", "Größe\r\n😀", "Hello", "Bye"],
        "tool_call": ["book(n=4)", {"name": "book", "arguments": {"n": 4, "at": None}}, ["a", 1, 2.5], "none", "none"],
        "end": ["ANSWER correct", "ANSWER incorrect", "ANSWER correct", "SAYS I cannot tell.", "SAYS "],
    },
    index=["b", "a", "a", "c", "d"],
)
VALUES = pd.DataFrame(
    {
        "text": pd.Series(["a", "b", "c", "d"], dtype=object),
        "number": [1, 2, 3, 4],
        "real": [0.1, 1e20, -0.0, 3.0],
        "flag": [True, False, True, False],
        "time": pd.to_datetime(["2026-01-02 00:00", "2026-01-02 03:04", "2027-01-01 00:00", "2028-01-01 00:00"]),
        "kind": pd.Categorical(["x", "y", "x", "y"]),
        "nested": pd.Series([{"a": [1, {"b": 'q"'}]}, (1, 2), np.array([1.5, 2.0]), {"é": "\n"}], dtype=object),
        "attributes.input.value": ["p", "q", "r", "s"],
    }
)
MISSING = pd.DataFrame(
    {
        "question": ["a", None, "c", "d", "e"],
        "tool_call": pd.Series(["x", "y", float("nan"), pd.NA, [None]], dtype=object),
        "end": ["ANSWER correct"] * 5,
    }
)
# Replies as a judge that nothing forces gives them.
REPLIES = [
    "correct",
    "incorrect",
    "Correct.",
    "INCORRECT",
    "**correct**",
    "The tool call is incorrect",
    "not correct",
    "The call is not correct.",
    "I cannot say it is correct",
    "uncorrected value",
    "INCORRECT: the unit should be correct",
    "correct or incorrect",
    "I do not know",
    '{"response": "correct"}',
    '{"label": "incorrect"}',
    "LABEL: correct",
    "EXPLANATION: The city is wrong. LABEL: incorrect",
    "It would be incorrect to call this correct.",
    "This is incorrect. LABEL: correct",
]


def model(evals, url, **more):
    return evals.OpenAIModel(model="gpt-4o", api_key="k", base_url=url, **more)


def cases(evals, url):
    """The runs by their names, as arguments of `llm_classify`."""
    asked = {"model": model(evals, url), "rails": RAILS, "progress_bar_format": None}

    def of(data, template=TEMPLATE, **more):
        return {**asked, "data": data, "template": template, **more}

    shown = {"include_prompt": True, "exit_on_error": False}
    numbers = pd.DataFrame({"n": [1, 2], "x": [0.5, 1.5]})
    explained = "Explain {question} {tool_call}\n{end}"
    two = [
        evals.PromptPartTemplate(evals.PromptPartContentType.TEXT, "Q {question}"),
        evals.PromptPartTemplate(evals.PromptPartContentType.TEXT, "C {tool_call}\n{end}"),
    ]
    return {
        "plain": of(FRAME, exit_on_error=False),
        "all_columns": of(FRAME.iloc[:3], provide_explanation=True, include_response=True, **shown),
        "values": of(
            VALUES, "{text}|{number}|{real}|{flag}|{time}|{kind}|{nested}|{attributes.input.value}\nANSWER correct", **shown
        ),
        "numbers_only": of(numbers, "{n} {x}\nANSWER correct", **shown),
        "missing": of(MISSING, **shown),
        "missing_stops": of(MISSING, include_prompt=True, run_sync=True, include_response=True),
        "repeated_name": of(FRAME.iloc[:2], "{question} {question}\n{end}", **shown),
        "json_of_lines": of(FRAME.iloc[:2], 'As {{\n"a": 1\n}}\n{question} }} {{\n{end}', **shown),
        "delimiters": of(
            FRAME.iloc[:2],
            evals.ClassificationTemplate(rails=RAILS, template='{"q": "<<question>>"}\n<<end>>', delimiters=("<<", ">>")),
            **shown,
        ),
        "classification": of(
            FRAME.iloc[:2],
            evals.ClassificationTemplate(rails=RAILS, template=TEMPLATE, explanation_template=explained, scores=[1, 0]),
            **shown,
        ),
        "classification_explained": of(
            FRAME.iloc[:2],
            evals.ClassificationTemplate(rails=RAILS, template=TEMPLATE, explanation_template=explained),
            provide_explanation=True,
            **shown,
        ),
        "prompt_template": of(FRAME.iloc[:2], evals.PromptTemplate(TEMPLATE), **shown),
        "parts": of(FRAME.iloc[:2], evals.PromptTemplate(two), **shown),
        "capital_rails": of(FRAME.iloc[:2], rails=["Correct", "Incorrect"]),
        "map_of_rails": of(FRAME.iloc[:2], rails=list(OrderedDict({True: "correct", False: "incorrect"}).values())),
        "list_of_texts": of(["SAYS correct", "SAYS incorrect"], "Judge\n{end}", **shown),
        "list_of_tuples": of([("q", "c", "ANSWER correct"), ("r", {"a": 1}, "ANSWER incorrect")], **shown),
        "list_too_short": of([("q", "c"), ("r", "s", "ANSWER incorrect")], **shown),
        "processor": of(
            FRAME.iloc[:2], data_processor=lambda row: pd.Series({**row, "question": row["question"].upper()}), **shown
        ),
        "processor_of_list": of([1, 2], data_processor=lambda n: (f"q{n}", n, "ANSWER correct"), **shown),
        "concurrency": of(FRAME.iloc[:3], concurrency=2),
        "broken": of(
            pd.DataFrame({"end": ["FAILS 500", "ANSWER correct"]}), "x\n{end}", max_retries=0, include_response=True, **shown
        ),
        "no_function_calls": of(
            pd.DataFrame({"end": [f"SAYS {reply}" for reply in REPLIES]}), "Judge\n{end}", exit_on_error=False
        ),
    }
