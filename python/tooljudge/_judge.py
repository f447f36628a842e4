"""Judges that are functions of Python, such as a model of one's own."""

from collections.abc import Iterable

from ._errors import JudgeError


class Judge:
    """A function that judges: it takes a list of prompts and returns a list of texts, one for each.

    Its replies are stored, read and counted like those of any model. None in the place of a text, or an exception object, says that there is no
    answer to this prompt; an exception that is raised says so of all prompts it was called with. A coroutine function is awaited.

    Args:
        function: What is called, on the thread that called the job, with as many prompts as may be in flight at once
            (`concurrency`, 16 by default).
        name: As the column `judge` names it; the function's own name by default.
        version: Replies of one version are never taken for those of another. By default a hash of the function's code, its default
            arguments and the constants it closes over; of an object, its class's code and those of its attributes that are texts,
            floats or booleans. What it reads elsewhere, such as the weights of a model, is not in the hash: give another version when
            that changes.

    Example:
        >>> import tooljudge as tj
        >>> def always_right(prompts):
        ...     return ["correct" for _ in prompts]
        >>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]
        >>> tj.label(rows, judge=tj.Judge(always_right, name="optimist"), store="replies.sqlite")[0]["label"]
        'correct'
    """

    def __init__(self, function, *, name=None, version=None):
        if not callable(function):
            raise TypeError(f"{type(function).__name__} cannot be called: a judge is a function of a list of prompts")
        self.function = function
        # The first failure is told with its traceback; rows tell of all of them.
        self._failed = False
        self.name = name or _name(function)
        self.version = str(version) if version is not None else _version(function)

    def __repr__(self):
        return f"<tooljudge.Judge {self.name} ({self.version})>"

    def answers(self, prompts):
        """Whether there is an answer, and its text or the reason, of each prompt."""
        try:
            texts = self.function(list(prompts))
            if hasattr(texts, "__await__"):
                texts = _awaited(texts)
        except Exception as error:
            import logging

            level = logging.DEBUG if self._failed else logging.WARNING
            self._failed = True
            logging.getLogger("tooljudge").log(level, "the judge %s failed", self.name, exc_info=True)
            return [(False, _said(error))] * len(prompts)
        if isinstance(texts, (str, bytes, dict)) or not isinstance(texts, Iterable):
            raise JudgeError(f"it returned a {type(texts).__name__}, not a list of texts, one for each prompt")
        texts = list(texts)
        if len(texts) != len(prompts):
            raise JudgeError(f"it returned {len(texts)} texts for {len(prompts)} prompts")
        return [_answer(text) for text in texts]


def _answer(text):
    if isinstance(text, str):
        return True, text
    if text is None:
        return False, "it gave no answer"
    if isinstance(text, BaseException):
        return False, _said(text)
    raise JudgeError(f"it returned a {type(text).__name__} in the place of a text")


def _said(error):
    return f"{type(error).__name__}: {error}"


def _awaited(coroutine):
    """What a coroutine comes to; a loop may be running on this thread, so it has a thread of its own."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    async def run():
        return await coroutine

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, run()).result()


def _name(function):
    name = getattr(function, "__name__", None) or type(function).__name__
    return name.strip("<>")


def _version(function):
    """A hash of what the function does, as far as that can be seen."""
    import hashlib

    found = hashlib.blake2b(digest_size=8)
    for text in _texts(function, set()):
        found.update(repr(text).encode())
    return found.hexdigest()


_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...))


def _texts(thing, seen):
    """Whatever of `thing` a change of its behaviour is likely to show in."""
    if isinstance(thing, _PLAIN):
        yield thing
    elif id(thing) in seen:
        return
    elif isinstance(thing, (tuple, list, frozenset)):
        for one in sorted(thing, key=repr) if isinstance(thing, frozenset) else thing:
            yield from _texts(one, seen | {id(thing)})
    elif isinstance(thing, dict):
        for key in thing:
            yield from _texts((key, thing[key]), seen | {id(thing)})
    elif hasattr(thing, "co_code"):
        yield thing.co_code
        yield thing.co_names
        yield from _texts(thing.co_consts, seen | {id(thing)})
    elif hasattr(thing, "__func__"):
        # A method is what its object is, too.
        yield from _texts(thing.__func__, seen | {id(thing)})
        yield from _texts(thing.__self__, seen | {id(thing)})
    elif hasattr(thing, "__code__"):
        inner = seen | {id(thing)}
        yield from _texts((thing.__code__, thing.__defaults__, thing.__kwdefaults__), inner)
        for cell in thing.__closure__ or ():
            try:
                yield from _texts(cell.cell_contents, inner)
            except ValueError:
                # Not filled yet.
                continue
    elif hasattr(thing, "func") and hasattr(thing, "args"):
        yield from _texts((thing.func, thing.args, thing.keywords), seen | {id(thing)})
    else:
        yield type(thing).__qualname__
        call = getattr(type(thing), "__call__", None)
        if hasattr(call, "__code__"):
            yield from _texts(call.__code__, seen | {id(thing)})
        # A whole number is as likely a count of calls as a setting.
        kept = {name: one for name, one in getattr(thing, "__dict__", {}).items() if isinstance(one, (str, bool, float))}
        yield from _texts(kept, seen)
