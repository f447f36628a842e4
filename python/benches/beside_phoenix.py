"""Times `llm_classify` of Phoenix 2 beside tooljudge's and `tooljudge.label`, on one local server with a fixed delay.

    python benches/beside_phoenix.py --phoenix VENV/bin/python --tooljudge VENV/bin/python

Each run is a process of its own, in a folder of its own; the server is another one. Times are those of the call alone, without
imports; the quickest of several runs counts.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEMPLATE = "Question: {question}\nCall: {tool_call}\nTools: {tool_definitions}\nAnswer correct or incorrect."
WAYS = ("phoenix", "phoenix_drop_in", "label")


def serve(delay, port):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # A reply in two packets would wait for the first one's receipt.
        wbufsize, disable_nagle_algorithm = -1, True

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            time.sleep(delay)
            message = {"role": "assistant", "content": '{"label": "correct"}'}
            if "functions" in body:
                call = {"name": body["functions"][0]["name"], "arguments": '{"response": "correct"}'}
                message = {"role": "assistant", "content": None, "function_call": call}
            made = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
            made["usage"] = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}
            made["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
            text = json.dumps(made).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 256

    http = Server(("127.0.0.1", 0), Handler)
    port.put(http.server_port)
    http.serve_forever()


def run(way, url, rows, concurrency, rate):
    """Seconds of the clock and of the processor, and the labels that came."""
    import pandas as pd

    questions = [f"Book a table for {number}" for number in range(rows)]
    calls = [f"book(guests={number})" for number in range(rows)]
    frame = pd.DataFrame({"question": questions, "tool_call": calls, "tool_definitions": "book: Books a table"})
    if way == "label":
        import tooljudge as tj

        with open("old.txt", "w") as file:
            file.write(TEMPLATE)

        def job():
            return tj.label(
                frame, judge="openai:m", base_url=url, template="old.txt", rails=["correct", "incorrect"], concurrency=concurrency
            )
    else:
        if way == "phoenix":
            from phoenix.evals import OpenAIModel, llm_classify
        else:
            from tooljudge.phoenix import OpenAIModel, llm_classify

        def job():
            model = OpenAIModel(model="gpt-4o", api_key="k", base_url=url, initial_rate_limit=rate)
            rails = ["correct", "incorrect"]
            return llm_classify(frame, model, TEMPLATE, rails, concurrency=concurrency, progress_bar_format=None)

    clock, processor = time.perf_counter(), time.process_time()
    made = job()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return {"way": way, "clock": clock, "processor": processor, "labels": int((made["label"] == "correct").sum())}


def main():
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--phoenix", help="a Python with arize-phoenix-evals 2 and openai")
    words.add_argument("--tooljudge", help="a Python with tooljudge and pandas")
    words.add_argument("--rows", type=int, default=1000)
    words.add_argument("--delay", type=float, default=0.02)
    words.add_argument("--concurrency", type=int, default=20)
    words.add_argument(
        "--rate", type=int, default=10, help="Phoenix's initial_rate_limit: requests per second, 10 unless told otherwise"
    )
    words.add_argument("--repeats", type=int, default=3)
    words.add_argument("--run", nargs=2, metavar=("WAY", "URL"), help=argparse.SUPPRESS)
    asked = words.parse_args()
    if asked.run:
        print(json.dumps(run(*asked.run, asked.rows, asked.concurrency, asked.rate)))
        return
    port = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(asked.delay, port), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{port.get()}/v1"
    best = {}
    for _ in range(asked.repeats):
        for way in WAYS:
            python = asked.phoenix if way == "phoenix" else asked.tooljudge
            said = [python, os.path.abspath(__file__), "--run", way, url, "--rows", str(asked.rows)]
            with tempfile.TemporaryDirectory() as folder:
                environment = {**os.environ, "OPENAI_API_KEY": "k"}
                told = [*said, "--concurrency", str(asked.concurrency), "--rate", str(asked.rate)]
                made = subprocess.run(told, cwd=folder, env=environment, capture_output=True, text=True)
            if made.returncode:
                sys.exit(f"{way}: {made.stderr}")
            figures = json.loads(made.stdout.splitlines()[-1])
            if figures["labels"] != asked.rows:
                sys.exit(f"{way}: {figures['labels']} of {asked.rows} rows have a label\n{made.stderr}")
            if way not in best or figures["clock"] < best[way]["clock"]:
                best[way] = figures
    server.terminate()
    theirs = best["phoenix"]
    for way, figures in best.items():
        ratios = "".join(f"  {name} {theirs[name] / figures[name]:5.1f}x" for name in ("clock", "processor"))
        print(f"{way:16} clock {figures['clock']:6.2f} s  processor {figures['processor']:6.2f} s  Phoenix takes{ratios}")


if __name__ == "__main__":
    main()
