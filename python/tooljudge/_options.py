"""Keyword arguments as the words of the command line: `max_cost=5` is `--max-cost=5`."""

import os
from collections.abc import Iterable, Mapping

from ._errors import SettingsError

# Their flag takes a list in one word; other lists repeat the flag.
JOINED = {"rails", "fold", "retry", "read_rails", "evaluate", "allowed_tools", "denied_tools"}
# Their flag takes a value that is true or false; other switches are there or not.
SPOKEN = {"require_all", "allow_extras", "order_matters"}


def words(options):
    """The words of all options that are set."""
    found = []
    for name, value in options.items():
        if value is None or (value is False and name not in SPOKEN):
            continue
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True and name not in SPOKEN:
            found.append(flag)
        elif isinstance(value, Mapping):
            found += [f"{flag}={key}={_text(name, one)}" for key, one in value.items()]
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
            texts = [_text(name, one) for one in value]
            found += [f"{flag}={','.join(texts)}"] * bool(texts) if name in JOINED else [f"{flag}={text}" for text in texts]
        else:
            found.append(f"{flag}={_text(name, value)}")
    return found


def _text(name, value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, tuple) and len(value) == 2:
        return f"{value[0]}={value[1]}"
    if isinstance(value, (int, float)) or hasattr(value, "__float__") or hasattr(value, "__index__"):
        return str(value)
    hint = "; a judge that is a function is not supported yet: name a model, such as `openai:gpt-5-mini`" * callable(value)
    raise SettingsError(f"{name}: {type(value).__name__} is neither a text nor a number{hint}")
