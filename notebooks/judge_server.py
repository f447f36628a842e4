"""A stand-in for a paid model, so that the notebooks run without a key: a local server that speaks OpenAI's chat completions.

It is not a model. It reads the prompt and nothing else, checks what a few lines of code can check, and is wrong where those lines
are: it cannot read a date in words or convert a unit. As a model does, it looks hardest at what the prompt tells it to look at,
gives the probability of its label, refuses now and then, and says the same to the same prompt.
"""

import ast
import hashlib
import json
import math
import random
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NUMERIC = (int, float)
TYPES = {"string": str, "number": NUMERIC, "integer": NUMERIC, "boolean": bool, "array": list, "object": dict, "dict": dict}
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
MONTHS = "none jan feb mar apr may jun jul aug sep oct nov dec".split()
# What a prompt says of the conversation, up to what it says of the calls.
CONVERSATION = re.compile(
    r"^(?:the )?(?:conversation|question|user said|user):(.*?)(?=\n\n[^\n]*called[^\n]*:|\Z)", re.I | re.M | re.S
)


class Server:
    """`url` is its address, `requests` counts what it was asked."""

    def __init__(self):
        self.requests = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    server.requests += 1
                body = json.dumps(answer(asked)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._lock = threading.Lock()
        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        http.daemon_threads = True
        threading.Thread(target=http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{http.server_port}/v1"


def start():
    """A server that runs until the program ends."""
    return Server()


def answer(asked):
    """The body of the reply to the body of a request."""
    prompt = "\n\n".join(message["content"] for message in asked["messages"])
    schema = asked.get("response_format", {}).get("json_schema", {}).get("schema", {})
    wanted = schema.get("properties", {})
    good, bad = wanted.get("label", {}).get("enum", ["correct", "incorrect"])[:2]
    chance, why = verdict(prompt)
    label, other = (good, bad) if chance >= 0.5 else (bad, good)
    message = {"role": "assistant", "content": None, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    if _dice(prompt, "refusal").random() < 0.03:
        message["refusal"] = "I'm sorry, but I can't help with that."
        tokens = [message["refusal"]]
    else:
        said = f'{{"explanation": {json.dumps(why)}, "label": "' if "explanation" in wanted else '{"label": "'
        tokens = [said, label, '"}'] if wanted else [label]
        message["content"] = "".join(tokens)
        if asked.get("logprobs"):
            choice["logprobs"] = {"content": [_token(token, label, other, max(chance, 1 - chance)) for token in tokens]}
    used = {"prompt_tokens": len(prompt) // 4, "completion_tokens": sum(map(len, tokens)) // 4}
    used["total_tokens"] = sum(used.values())
    return {"id": "stand-in", "object": "chat.completion", "model": asked["model"], "choices": [choice], "usage": used}


def _token(token, label, other, sure):
    def entry(text, chance):
        return {"token": text, "logprob": math.log(chance), "bytes": list(text.encode())}

    if token != label:
        return {**entry(token, 1.0), "top_logprobs": [entry(token, 1.0)]}
    return {**entry(label, sure), "top_logprobs": [entry(label, sure), entry(other, 1 - sure)]}


def _dice(prompt, what):
    """Chance that falls the same way for the same prompt."""
    return random.Random(hashlib.sha256(f"{what} {prompt}".encode()).digest())


def verdict(prompt):
    """The probability that the calls in the prompt are right, and why."""
    tools, calls, text = _parts(prompt)
    found = CONVERSATION.search(text)
    task, conversation = (text[: found.start()], found[1]) if found else (text, text)
    # What a prompt tells a judge to look at, it looks at; what it does not, the judge mostly overlooks.
    by_definition = 1.0 if re.search("definition|required|defines", task) else 0.2
    by_values = 1.0 if re.search("follows|invent|values", task) else 0.2
    doubts = [(by_definition * weight, why) for weight, why in _broken(tools, calls)]
    doubts += [(by_values * weight, why) for weight, why in _unsupported(tools, calls, conversation)]
    if not calls:
        known = set(_words(conversation))
        fitting = max((len(known & set(_words(tool.get("description", "")))) for tool in tools.values()), default=0)
        doubts = [(fitting, "A tool fits what was asked, and nothing was called.")]
    logit = 1.5 - sum(weight for weight, _ in doubts) + _dice(prompt, "noise").gauss(0, 0.6)
    logit = max(-6.0, min(6.0, logit))
    why = "The call does what was asked." if logit >= 0 else max(doubts)[1] if doubts else "The call does not look right."
    return 1 / (1 + math.exp(-logit)), why


def _parts(prompt):
    """The tools by name, the calls, and the text around them."""
    tools, calls, texts, at = {}, [], [], 0
    decoder = json.JSONDecoder()
    for found in re.finditer(r"[\[{]", prompt):
        if found.start() < at:
            continue
        try:
            value, end = decoder.raw_decode(prompt, found.start())
        except ValueError:
            continue
        items = [item.get("function", item) for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
        named = [item for item in items if isinstance(item.get("name"), str)]
        if value == [] or named:
            texts.append(prompt[at : found.start()])
            at = end
        made = [(item["name"], item.get("arguments", item.get("input"))) for item in named]
        if value == [] or all(arguments is not None for _, arguments in made) and made:
            # Calls further up belong to the conversation.
            texts += [json.dumps(arguments, ensure_ascii=False) for _, arguments in calls]
            read = [(name, json.loads(given) if isinstance(given, str) else given) for name, given in made]
            calls = [(name, given) for name, given in read if isinstance(given, dict)]
        else:
            tools.update((item["name"], item) for item in named)
    calls = calls or list(_written(tools, prompt))
    # The marks of a fence are no part of what was said.
    return tools, calls, re.sub(r"\[(?:begin|end) \w+\]", "", "".join([*texts, prompt[at:]]))


def _written(tools, prompt):
    """Calls in the form of code: `weather(city='Oslo')`."""
    for found in re.finditer(r"(?<![\w.])(\w+)\([^()]*\)", prompt):
        if found[1] in tools:
            try:
                keywords = ast.parse(found[0], mode="eval").body.keywords
                yield found[1], {keyword.arg: ast.literal_eval(keyword.value) for keyword in keywords}
            except (SyntaxError, ValueError):
                continue


def _schema(tool):
    return tool.get("parameters") or tool.get("input_schema") or {}


def _properties(tool):
    return _schema(tool).get("properties", {})


def _broken(tools, calls):
    """What breaks the definitions."""
    for at, (name, arguments) in enumerate(calls):
        if name not in tools:
            yield 4.0, f"There is no tool {name}."
            continue
        declared = _properties(tools[name])
        for missing in sorted(set(_schema(tools[name]).get("required", [])) - set(arguments)):
            yield 3.5, f"The required argument {missing} is missing."
        for key, value in arguments.items():
            if key not in declared:
                yield 3.0, f"{name} has no argument {key}."
            elif value not in declared[key].get("enum", [value]):
                yield 3.0, f"{json.dumps(value)} is not a choice for {key}."
            elif not isinstance(value, TYPES.get(declared[key].get("type"), object)):
                yield 3.0, f"{key} has the wrong type."
        if (name, arguments) in calls[:at]:
            yield 3.0, f"{name} is called twice."


def _unsupported(tools, calls, conversation):
    """Values that nobody said, and numbers that somebody said in vain."""
    known, said, used = set(_words(conversation)), _numbers(conversation), []
    for name, arguments in calls:
        declared = _properties(tools.get(name, {}))
        for key, value in arguments.items():
            for leaf in _leaves(value):
                used.append(leaf)
                schema = declared.get(key, {})
                if isinstance(leaf, bool) or leaf in schema.get("enum", []) or leaf == schema.get("default"):
                    continue
                shown = json.dumps(leaf, ensure_ascii=False)
                words = _words(str(leaf))
                strange = sum(word not in known for word in words)
                if strange:
                    yield 2.0 * strange / len(words), f"Nobody said {shown} for {key}."
                if _plain(str(leaf)) - said:
                    yield 0.8, f"{shown} for {key} does not follow from what was said."
    request = conversation.rpartition("user:")[2] or conversation
    for number in sorted(_plain(request) - _numbers(" ".join(map(str, used)))) if calls else ():
        yield 1.7, f"The request says {number:g}, and no call does."


def _plain(text):
    """The numbers of a text that are written in digits; 12,000 is one."""
    return {float(part) for part in re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))}


def _numbers(text):
    """The numbers of a text, in digits or words, and what a change of unit often makes of them."""
    said = _plain(text)
    for words in (NUMBERS, MONTHS):
        said |= {at for at, word in enumerate(words) if re.search(rf"\b{word}", text, re.IGNORECASE)}
    changed = {number * factor for number in said for factor in (12, 60, 100, 1000, 0.01, 0.001)}
    return said | changed | {number + 12 for number in said} | {0, 1} | set(range(2024, 2028))


def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for one in value for leaf in _leaves(one)] if isinstance(value, list) else [value]


def _words(text):
    return [word for word in re.findall(r"[^\W\d]+", text.lower()) if len(word) > 3]
