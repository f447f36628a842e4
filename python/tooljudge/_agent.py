"""Agents that are functions: each episode runs in its own thread, and its tools record the calls."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import itertools
import json
import os
import threading
import traceback
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from ._coroutines import Loop
from ._errors import SettingsError
from ._judge import name_of, said
from ._native import Conversation
from ._tools import CaseOver, Messages, Result, Tools

# What an agent can be called with, by the names of its parameters.
_GIVEN = ("question", "messages", "tools", "case_id")
# The loop of each agent, from run to run: one that blocks its loop holds up no other.
_loops: weakref.WeakKeyDictionary[Any, Loop] = weakref.WeakKeyDictionary()
# How often is looked whether the case of a coroutine is over, in seconds.
_GLANCE = 0.05


class Agent:
    """A function as an agent, under a name."""

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name = name or name_of(function)
        self._positional, self._named = _parameters(function, self.name)
        self._loop = _loop_of(function)
        # The first failure is told; rows tell of all of them, and how they came about.
        self._failed = False

    def begin(self, conversation: Conversation, interrupt: Callable[[], None]) -> None:
        """Drives an episode on a thread of its own. `interrupt` is called where the agent raises `KeyboardInterrupt`."""
        work = contextvars.copy_context().run
        # Nobody waits for one that does not end.
        name = f"tooljudge agent {self.name}"
        thread = threading.Thread(target=work, args=(self._converse, conversation, interrupt), name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            conversation.cancel(f"no thread can be started: {error}")

    def _converse(self, conversation: Conversation, interrupt: Callable[[], None]) -> None:
        """From the case to its answer; whatever the agent raises is a failure of the case."""
        try:
            line = _Line(conversation)
            while True:
                if not line.answer(_text_of(self._returned(line))):
                    return
        except CaseOver:
            if not conversation.is_over():
                conversation.fail("the function raised CaseOver, and the case was not over", "")
        except KeyboardInterrupt:
            # Not that of a thread that has outlived its case.
            if not conversation.is_over():
                interrupt()
        except BaseException as error:
            if not conversation.is_over():
                self._tell(error)
                conversation.fail(_reason(error), _traceback(error))
        finally:
            # Tools that somebody keeps would keep the case open until its time is over.
            if not conversation.is_over():
                conversation.fail("the function ended without an answer", "")

    def _returned(self, line: _Line) -> Any:
        given = line.given()
        returned = self.function(*(given[name] for name in self._positional), **{name: given[name] for name in self._named})
        if not hasattr(type(returned), "__await__"):
            return returned
        future, loop = self._loop.submit(_quiet(returned, line.conversation))
        while not _is_done(future):
            if line.conversation.is_over():
                future.cancel()
                self._loop.replace_if_stuck(loop)
                raise CaseOver
        return future.result()

    def _tell(self, error: BaseException) -> None:
        import logging

        level = logging.DEBUG if self._failed else logging.WARNING
        self._failed = True
        # What it says may hold a key; the rows' text is masked.
        with contextlib.suppress(Exception):
            logging.getLogger("tooljudge").log(level, "the agent %s raised %s: see `agent_log` in the rows", self.name, type(error).__name__)


def _loop_of(function: Callable[..., Any]) -> Loop:
    # A method is a new object each time; its clients belong to the object that has it.
    owner = getattr(function, "__self__", function)
    try:
        return _loops.setdefault(owner, Loop())
    except TypeError:
        # Nobody can tell it from others.
        return Loop()


class _Line:
    """The agent's side of an episode."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        case = json.loads(conversation.case)
        self._id, self._messages, self._definitions = case["id"], case["messages"], case["tools"]
        self._numbers = itertools.count(1)
        # One thread at a time speaks, and what it hears is next in the messages.
        self._turn = threading.Lock()
        self._process = os.getpid()

    def given(self) -> dict[str, Any]:
        """What the agent can be called with."""
        questions = [message["content"] for message in self._messages if message["role"] == "user"]
        return {
            "question": questions[-1] if questions else "",
            # The agent may change them.
            "messages": Messages(json.loads(json.dumps(self._messages))),
            "tools": Tools(json.loads(json.dumps(self._definitions)), self.call),
            "case_id": self._id,
        }

    def call(self, name: str, arguments: str) -> Result:
        """Has a call with these arguments, a text of JSON, answered and recorded."""
        if os.getpid() != self._process:
            # Whoever would answer did not come along.
            raise RuntimeError("tools are called in the process of the run, and this one was forked from it")
        with self._turn:
            id = f"call_{next(self._numbers)}"
            call = f'"id": {_json(id)}, "name": {_json(name)}, "arguments": {arguments}'
            (result,) = self._say(f'{{"type": "call", {call}}}')
            made = {"name": name, "arguments": json.loads(arguments), "id": result["id"]}
            answered = {"role": "tool", "content": result["content"], "tool_call_id": result["id"]}
            self._messages += [{"role": "assistant", "content": "", "tool_calls": [made]}, answered]
        return Result(result["content"], result["is_error"])

    def answer(self, text: str) -> bool:
        """Answers; whether the user says something to it."""
        with self._turn:
            told = self.conversation.say(f'{{"type": "answer", "text": {_json(text)}}}')
            if told is None:
                return False
            next_ones = [{"role": one["type"], "content": one["content"]} for one in json.loads(told)]
            self._messages += [{"role": "assistant", "content": text}, *next_ones]
        return True

    def _say(self, text: str) -> list[dict[str, Any]]:
        told = self.conversation.say(text)
        if told is None:
            raise CaseOver(
                "the case is over: it was answered, took too long, made as many calls as it may, or said what cannot be read (`reason` in the "
                "rows tells)"
            )
        found: list[dict[str, Any]] = json.loads(told)
        return found


async def _quiet(coroutine: Any, conversation: Conversation) -> Any:
    """The same; what it raises once its case is over is told to nobody."""
    try:
        return await coroutine
    except BaseException:
        if conversation.is_over():
            return None
        raise


def _is_done(future: Any) -> bool:
    from concurrent.futures import wait

    return bool(wait([future], _GLANCE).done)


def _json(text: str) -> str:
    """JSON of a text, which is Unicode afterwards."""
    return json.dumps(text.encode(errors="replace").decode(), ensure_ascii=False)


def _parameters(function: Callable[..., Any], name: str) -> tuple[list[str], list[str]]:
    """Which of what there is to be had an agent takes: by position, and by name."""
    accepted = f"an agent is called with those of its parameters that are named {', '.join(_GIVEN[:-1])} and {_GIVEN[-1]}"
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise SettingsError(f"agent: nobody can see what {name} takes; wrap it in a function: {accepted}") from None
    positional: list[str] = []
    named: list[str] = []
    skipped = ""
    for one in parameters:
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            named += [given for given in _GIVEN if given not in (*positional, *named)]
        elif one.kind is inspect.Parameter.VAR_POSITIONAL:
            continue
        elif one.name in _GIVEN:
            if one.kind is inspect.Parameter.POSITIONAL_ONLY and skipped:
                raise SettingsError(f"agent: {name} takes `{skipped}` before `{one.name}`, both by position, and {accepted}")
            (positional if one.kind is inspect.Parameter.POSITIONAL_ONLY else named).append(one.name)
        elif one.default is inspect.Parameter.empty:
            raise SettingsError(f"agent: {name} takes `{one.name}`, and {accepted}")
        else:
            skipped = one.name
    if not positional and not named:
        raise SettingsError(f"agent: {name} takes nothing, so that it would not even hear the question: {accepted}")
    return positional, named


def _text_of(returned: Any) -> str:
    """The answer in what an agent returned."""
    text = _answer_in(returned)
    if text is None:
        raise _Unusable(
            f"the function returned {_described(returned)}; an agent returns its answer: a text, a list of messages that ends with the "
            "assistant's, or a dict with `output` or `messages`"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Unusable("the function returned a text that is not Unicode") from None
    return text


class _Unusable(Exception):
    """What was returned is no answer."""


def _answer_in(returned: Any) -> str | None:
    if isinstance(returned, str):
        return returned
    if isinstance(returned, Mapping):
        # A record of LangChain's, or the state of a graph. Steps are those that the tools have recorded.
        if "output" in returned:
            output = returned["output"]
            if isinstance(output, str):
                return output
            found = _said_by_assistant(output[-1] if isinstance(output, list) and output else output)
            return found if found is not None or not isinstance(output, list) else _content(output)
        if "messages" in returned:
            return _answer_in(returned["messages"]) if isinstance(returned["messages"], (list, tuple)) else None
        return _said_by_assistant(returned)
    if isinstance(returned, (list, tuple)):
        return _said_by_assistant(returned[-1]) if returned else None
    return _said_by_assistant(returned)


def _said_by_assistant(message: Any) -> str | None:
    """The text of an assistant's message: a dict, or an object of LangChain's or OpenAI's."""
    there = "content" in message if isinstance(message, Mapping) else hasattr(message, "content")
    role, content = _get(message, "role") or _get(message, "type"), _get(message, "content")
    if not there or role not in ("assistant", "ai", "AIMessageChunk", "message"):
        return None
    # A loop that stopped halfway has said nothing yet.
    return None if not content and _get(message, "tool_calls") else _content(content)


def _get(of: Any, name: str) -> Any:
    """A member of a dict, or of an object of a library's."""
    return of.get(name) if isinstance(of, Mapping) else getattr(of, name, None)


def _content(content: Any) -> str | None:
    """A text, or the texts among parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return None
    texts = [part if isinstance(part, str) else _get(part, "text") for part in content]
    said = [text for text in texts if isinstance(text, str)]
    # Parts that are no texts, such as what a model thought, stand beside those that are.
    return "".join(said) if said or not texts else None


def _described(returned: Any) -> str:
    if returned is None:
        return "None"
    kind = type(returned).__name__
    if isinstance(returned, (list, tuple)):
        if not returned:
            return f"an empty {kind}"
        return f"a {kind} whose last item ({type(returned[-1]).__name__}) is not a message of the assistant"
    if isinstance(returned, Mapping):
        return f"a {kind} without an answer"
    return f"an object of the type {kind}"


def _reason(error: BaseException) -> str:
    return str(error) if isinstance(error, _Unusable) else f"the function raised {said(error)}"


def _traceback(error: BaseException) -> str:
    if isinstance(error, _Unusable):
        return ""
    try:
        return "".join(traceback.format_exception(error)).encode(errors="replace").decode()
    except Exception:
        return ""
