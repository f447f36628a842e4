"""Judges with their own settings: Python functions, such as a user's own model, and models behind an endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable, Set

from ._coroutines import awaited
from ._errors import JudgeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any, TypeAlias, Unpack

    from ._flags import JudgeOptions

    Answers: TypeAlias = Iterable[str | BaseException | None]
    Function: TypeAlias = Callable[[list[str]], Answers | Awaitable[Answers]]


class Judge:
    """A judge with a name and settings: a model behind an endpoint, or a function.

    **A model**, `Judge("openai:gpt-5-mini", base_url=..., price=(0.25, 2.0))`, is what an entry `[judges.NAME]` of a settings file is, and
    takes the same settings.

    **A function** takes a list of prompts and returns a list of texts, one for each. Its answers are read and counted like those of any
    model. None in the place of a text, or an exception object, says that there is no answer to this prompt; an exception that is raised
    says so of all prompts it was called with. If the first twenty prompts all fail, the run ends. A coroutine function is awaited, on one
    loop for all judges of the process.

    Args:
        judge: `PROVIDER:MODEL`; or a function, which is called on the thread that called the job, with as many prompts as may be in flight
            at once (`concurrency`, 16 by default).
        name: As the column `judge` names it; by default the model's name, or the function's own. Not the name of a judge of tooljudge's
            own, such as `builtin` or `openai:gpt-5-mini`.
        version: Of a function: keeps answers for later runs, which then ask nothing twice: those of one name and version are taken for
            each other, so give another version whenever the function, its prompts or its weights change. Without a version each run asks
            anew, because nobody can see whether a function still is what it was.
        settings: Of a model: `base_url`, `api_key`, `api_key_env`, `price` (US dollars per million tokens in and out), `headers`, `query`,
            `body`, `temperature`, `max_tokens`, `timeout`, `rpm`, `concurrency` and the other settings of an entry of `[judges]`.

    Example:
        >>> import tooljudge as tj
        >>> def always_right(prompts):
        ...     return ["correct" for _ in prompts]
        >>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]
        >>> tj.label(rows, judge=tj.Judge(always_right, name="optimist", version=1), store="replies.sqlite")[0]["label"]
        'correct'
    """

    function: Function | None
    model: str | None
    name: str
    version: str | None
    api_key: str | None
    settings: dict[str, Any]

    def __init__(
        self,
        judge: str | Function,
        *,
        name: str | None = None,
        version: str | int | float | None = None,
        **settings: Unpack[JudgeOptions],
    ) -> None:
        self.function = self.model = None
        if isinstance(judge, str):
            self.model = judge
        elif callable(judge):
            self.function = judge
        else:
            raise TypeError(f"{type(judge).__name__} is neither PROVIDER:MODEL nor a function of a list of prompts: it cannot be called")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name: {type(name).__name__} is no text")
        if self.function and settings:
            raise TypeError(f"{next(iter(settings))}: a function has no settings; they are for PROVIDER:MODEL")
        if self.model and version is not None:
            raise TypeError("version: replies of a model are kept under its own name")
        self.name = name or (self.model.partition(":")[2] or self.model if self.model else name_of(judge))
        self.version = None if version is None else str(version)
        own: dict[str, Any] = {**settings}
        self.api_key = own.pop("api_key", None)
        if self.api_key is not None:
            if not isinstance(self.api_key, str) or not self.api_key.strip():
                raise TypeError("api_key: give the key as a text that is not empty")
            if own.get("api_key_env") is not None:
                raise TypeError("give api_key or api_key_env, not both")
        self.settings = own
        # The first failure is told with its traceback; rows tell of all of them.
        self._failed = False

    def entry(self, variable: str) -> dict[str, Any]:
        """Its settings, as an entry of a settings file; the key is looked for under `variable`."""
        from ._options import setting

        entry = {name: setting(name, value) for name, value in self.settings.items() if value is not None}
        price = entry.get("price")
        if price is not None:
            entry["price"] = price_of(price)
        if self.api_key is not None:
            entry["api_key_env"] = variable
        return {**entry, "judge": self.model}

    def __repr__(self) -> str:
        return f"<tooljudge.Judge {self.name}{'' if self.version is None else f' ({self.version})'}>"

    def identity(self) -> tuple[str, str]:
        """The name, and the version that this run's answers are kept under."""
        return self.name, os.urandom(8).hex() if self.version is None else f"={self.version}"

    def answers(self, prompts: Sequence[str]) -> list[tuple[bool, str]]:
        """Whether there is an answer, and its text or the reason, of each prompt."""
        texts: Any
        assert self.function is not None
        try:
            texts = self.function(list(prompts))
            if hasattr(texts, "__await__"):
                texts = awaited(texts)
            is_list = isinstance(texts, Iterable) and not isinstance(texts, (str, bytes, dict, Set))
            texts = list(texts) if is_list else texts
        except Exception as error:
            import logging

            level = logging.DEBUG if self._failed else logging.WARNING
            self._failed = True
            logging.getLogger("tooljudge").log(level, "the judge %s failed", self.name, exc_info=True)
            return [(False, said(error))] * len(prompts)
        if not is_list:
            raise JudgeError(f"it returned a {type(texts).__name__}, not a list of texts, one for each prompt")
        if len(texts) != len(prompts):
            raise JudgeError(f"it returned {len(texts)} texts for {len(prompts)} prompts")
        return [_answer(text) for text in texts]


def price_of(price):
    """A price as a settings file has it, also of a pair: US dollars per million tokens in and out."""
    from ._errors import SettingsError

    if isinstance(price, dict):
        return price
    if not isinstance(price, list) or len(price) != 2 or any(isinstance(one, (bool, str)) for one in price):
        raise SettingsError("price: give two numbers, US dollars per million tokens in and out, such as (0.25, 2.0), or a dict with input and output")
    return {"input": price[0], "output": price[1]}


def _answer(text):
    if isinstance(text, str):
        try:
            text.encode()
        except UnicodeEncodeError:
            return False, "it returned a text that is not Unicode"
        return True, str(text)
    if text is None:
        return False, "it gave no answer"
    if isinstance(text, BaseException):
        return False, said(text)
    return False, f"it returned a {type(text).__name__} in the place of a text"


def said(error):
    """What an exception says, which may fail, too."""
    try:
        words = str(error)
    except Exception:
        words = "which has no words"
    return f"{type(error).__name__}: {words}".encode(errors="replace").decode()


def name_of(function):
    """The name of a function, or of the kind of what is called like one."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return name.strip("<>")

