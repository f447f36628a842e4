"""Translates messages of the command line into the terms of a Python call: `--max-cost` is `max_cost`, `tooljudge templates list` is `tj.templates.list`."""

import contextlib
import contextvars
import functools
import re

# `tooljudge convert --summary` or `bench -o` within backticks.
_COMMAND = re.compile(
    r"`(?:tooljudge (?P<command>(?:suite|store|templates) [a-z-]+|[a-z]+)|(?P<short>bench|label)(?= -))(?P<rest>(?: [^`]*)?)`"
)
# `--column question=user_msg` within backticks; other texts in backticks, which stay; the flag with the word behind it; the flag alone.
_FLAG = re.compile(
    r"`(?P<several>--[a-z][^`\n]*)`"
    r"|`[^`\n]*`"
    r"|(?<![\w'/.-])--(?P<name>[a-z][a-z-]*)[ =](?P<word>[\w./:=|,-]*\w)"
    r"|(?P<opened>'?)(?<![\w/.-])--(?P<alone>[a-z][a-z-]*)(?: <[^>]*>)?(?P<closed>'?)(?![\w./=-]*/)"
)
_OUTPUT = re.compile(r"(?<= )-o(?![\w-])")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z|]*")
# PROVIDER:MODEL, script:FILE, KIND=N, GOOD,BAD.
_PLAINLY_A_VALUE = re.compile(rf"{_NUMBER.pattern}|[^:=,]+[:=,].+")
# Words that are values wherever they stand behind their flag.
_VALUES = {
    "args": ("exact",),
    "compat": ("ragas",),
    "evaluate": ("input_parameters",),
    "from": ("arrow", "csv", "parquet", "ssv", "tsv"),
    "gate_on": ("low",),
    "judge": ("builtin", "mine"),
    "metric": ("single_tool_use",),
    "params": ("fuzzy",),
    "per": ("call",),
    "prefix": ("judge_",),
    "retry": ("truncated",),
    "scale": ("five",),
    "to": ("csv",),
}
# Options of this kind take a dict.
PAIRS = {
    "agents": '{"mine": my_agent}',
    "column": '{"question": "user_msg"}',
    "functions": '{"even": is_even}',
    "max_fail": '{"errored": 0}',
    "prices": '{"openai:gpt-5-mini": (0.25, 2.0)}',
    "set": '{"strict_order": False}',
    "where": '{"language": "en"}',
}
# Flags that have another name here.
_RENAMED = {"from": "from_", "summary": "return_summary"}
_PHRASES = [
    ("run the same command again", "make the same call again"),
    ("Run the same command again", "Make the same call again"),
    ("the same command", "the same call"),
    ("on the command line", "in the call"),
    ("add it to tooljudge.toml", "give it as `prices={...}` or `tj.Judge(..., price=...)`, or add it to tooljudge.toml"),
    ("`tooljudge convert --formats` lists them", "docs/formats.md lists them"),
]
# Files of a job that nobody has named, and what they are to whoever made the call.
_FILES: "contextvars.ContextVar[dict[str, str]]" = contextvars.ContextVar("tooljudge_files", default={})


def without_promise(text):
    """What is said of a run that was stopped, where its replies are kept nowhere."""
    text = re.sub("every reply (that came )?is kept", "no reply is kept", text)
    again = r"\. (Make the same call|Run the same command) again (without \S+ )?to go on from there( \([^)]*\))?"
    return re.sub(again, "", text)


@contextlib.contextmanager
def files(names):
    """Meanwhile, messages name these files by what they are."""
    token = _FILES.set({**_FILES.get(), **names})
    try:
        yield
    finally:
        _FILES.reset(token)


@functools.cache
def _names():
    from . import _flags

    return {name.rstrip("_"): kind for options in vars(_flags).values() for name, kind in getattr(options, "names", {}).items()}


def in_python(text):
    """The text with options as they are given here."""
    for path, name in _FILES.get().items():
        text = text.replace(path, name)
    for theirs, ours in _PHRASES:
        text = text.replace(theirs, ours)
    if "`" in text:
        text = _COMMAND.sub(_call, text)
    if "--" in text:
        text = _FLAG.sub(_option, text)
    return _OUTPUT.sub("`output`", text) if " -o" in text else text


def _call(found):
    """The call that does what a command does."""
    group, _, name = (found["command"] or found["short"]).partition(" ")
    function = f"templates.{name}" if group == "templates" else f"{group}_{name}".rstrip("_").replace("-", "_")
    given = list(_each(found["rest"]))
    if given and group not in ("templates", "store"):
        given.insert(0, "...")
    return f"`tj.{function}({', '.join(given)})`" if given else f"`tj.{function}`"


def _each(words):
    """The words of a command line behind its command, as they are given in a call."""
    words = words.split()
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            yield f'"{word}"'
            continue
        name, _, value = word.lstrip("-").partition("=")
        name = {"o": "output"}.get(name, name.replace("-", "_"))
        if not value and words and not words[0].startswith("-"):
            value = words.pop(0)
        is_switch = name == "summary" or _names().get(name, "").startswith("bool")
        yield _given(name, value) if value else f"{_RENAMED.get(name, name)}={'True' if is_switch else '...'}"


def _option(found):
    if found["several"] is not None:
        flags = re.findall(r"--([a-z-]+)", found["several"])
        if not all(flag.replace("-", "_") in _names() for flag in flags):
            return found[0]
        if found["several"] == f"--{flags[0]}":
            return f"`{_option_name(flags[0])}`"
        return f"`{', '.join(_joined(_each(found['several'])))}`"
    flag, word = found["name"] or found["alone"], found["word"]
    if flag is None or flag.replace("-", "_") not in _names():
        return found[0]
    if word is None:
        opened, closed = found["opened"], found["closed"]
        return f"`{_option_name(flag)}`" if opened == closed else f"{opened}{_option_name(flag)}{closed}"
    # As in `--judge gpt: ...`, where the value is what is wrong.
    is_subject = found.start() == 0 and found.string.startswith(": ", found.end())
    if is_subject and flag in PAIRS and "=" not in word:
        return f'`{flag}["{word}"]`'
    if is_subject or _PLAINLY_A_VALUE.fullmatch(word) or word in _VALUES.get(flag.replace("-", "_"), ()):
        return f"`{_given(flag.replace('-', '_'), word)}`"
    return f"`{_option_name(flag)}`" + ("" if _PLACEHOLDER.fullmatch(word) else f" {word}")


def _joined(given):
    """Options as they are given, dicts of one name in one."""
    made = []
    for one in given:
        name, opens, rest = one.partition("={")
        if opens and made and made[-1].startswith(f"{name}={{"):
            made[-1] = f"{made[-1][:-1]}, {rest}"
        else:
            made.append(one)
    return made


def _option_name(flag):
    return _RENAMED.get(flag, flag.replace("-", "_"))


def _given(name, value):
    """An option with its value as it is written in a call."""
    key, pairs, one = value.partition("=")
    if name in PAIRS and pairs:
        value = f'{{"{key}": {_literal(one)}}}'
    elif "," in value:
        value = f"[{', '.join(map(_literal, value.split(',')))}]"
    else:
        value = _literal(value)
    return f"{_RENAMED.get(name, name)}={value}"


def _literal(value):
    return value if _NUMBER.fullmatch(value) else f'"{value}"'
