"""What the tests share: rows, the command line's own labels, and a server that speaks the protocol."""

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TOOLJUDGE", str(ROOT / "target/debug/tooljudge"))

TOOLS = [
    {
        "name": "book",
        "description": "Book a table in a restaurant.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "guests": {"type": "integer"}}},
    }
]
ROWS = [
    {
        "id": 7,
        "question": "Book a table in Oslo for 4",
        "tool_call": {"name": "book", "arguments": {"city": "Oslo", "guests": 4}},
    },
    {
        "id": 7,
        "question": "Book a table in Bergen for 6",
        "tool_call": {"name": "book", "arguments": {"city": "Bergen", "guests": 6}},
    },
    {"id": 3, "question": "Book a table in Paris for 2", "tool_call": {"name": "book", "arguments": {"town": "Paris"}}},
    {"id": 1, "question": None, "tool_call": None},
    {"id": 2, "question": "Hello", "tool_call": None},
]


def rows():
    """Rows of nested cells, nulls, and a column with an odd name."""
    return [{**row, "tool_definitions": TOOLS, 'größe, "x"': None if row["id"] == 1 else "a\nb"} for row in ROWS]


LABELS = ["label", "score", "status", "explanation", "confidence", "error", "judge", "template"]


def by_program(rows, folder, *more):
    """The labels of the command line on these rows, as JSON Lines."""
    path, out = folder / "rows.jsonl", folder / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = [PROGRAM, "label", str(path), "-o", str(out), "--allow-unjudged=1", "--force", "--quiet", *more]
    subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE)
    return [json.loads(line) for line in out.read_text().splitlines()]


def labels(rows):
    return [{name: row[name] for name in LABELS} for row in rows]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# How long a test waits for what must happen.
PATIENCE = 100


def wait_until(condition):
    """Waits for what happens on another thread, but not for ever."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.005)


class Server:
    """Answers every question with `label`, which may be a function of the body of the request, after `delay` seconds, or with the error
    `code`. With `free=N`, requests after the first N wait for `let_go()`. `arrivals` tells when each came."""

    def __init__(self, label="correct", delay=0.0, tokens=10, free=None, code=200):
        self.requests, self.label, self.delay, self.keys, self.arrivals = 0, label, delay, set(), []
        self._count, self._go = threading.Lock(), threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                sent = self.rfile.read(int(self.headers["content-length"])).decode()
                with server._count:
                    server.requests += 1
                    server.arrivals.append(time.monotonic())
                    waits = free is not None and server.requests > free
                server.keys.add(self.headers["authorization"])
                if waits:
                    server._go.wait()
                time.sleep(server.delay)
                content = server.label(sent) if callable(server.label) else server.label
                message = {"role": "assistant", "content": content}
                usage = {"prompt_tokens": tokens, "completion_tokens": 1}
                body = {"id": "x", "object": "chat.completion", "model": "m", "usage": usage}
                body["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
                if code != 200:
                    body = {"error": {"message": "the key is wrong", "type": "invalid_request_error", "code": "invalid_api_key"}}
                text = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def judge(self):
        return {"judge": "vllm:m", "base_url": self.url}

    def let_go(self):
        """Answers what waits, and all that comes."""
        self._go.set()


@pytest.fixture
def server():
    made = []

    def start(**settings):
        made.append(Server(**settings))
        return made[-1]

    yield start
    for one in made:
        one.let_go()
        one.http.shutdown()


def numbered(count):
    return [{"question": f"Say {n}", "tool_call": f"say(n={n})", "tool_definitions": "say: Says a number"} for n in range(count)]


@pytest.fixture
def kernel(monkeypatch):
    """A kernel of Jupyter: its manager and its client."""
    pytest.importorskip("ipykernel")
    manager = pytest.importorskip("jupyter_client.manager")
    # It is this Python, whatever kernels are installed for the user.
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    monkeypatch.setenv("JUPYTER_PATH", str(Path(sys.prefix) / "share/jupyter"))
    kernel, client = manager.start_new_kernel(startup_timeout=PATIENCE)
    yield kernel, client
    client.stop_channels()
    kernel.shutdown_kernel(now=True)
