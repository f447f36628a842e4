"""Messages of the command line in the words of a call: `--max-cost` is `max_cost`."""

import functools
import re

# `--column question=user_msg` within backticks; other texts in backticks, which stay; `--store FILE` with a placeholder, or the flag alone.
_FLAG = re.compile(
    r"`--(?P<valued>[a-z][a-z-]*)[= ](?P<value>[^`\s]+)`"
    r"|`(?!--)[^`\n]*`"
    r"|(?P<opened>['`]?)(?<![\w/.-])--(?P<alone>[a-z][a-z-]*)(?: <[^>]*>|[= ][A-Z][A-Z|=]+(?:,\.\.\.)?(?![\w:|]))?(?P<closed>['`]?)(?![\w./=-]*/)"
)
# Options of this kind take a dict.
_PAIRS = {"column", "where", "set", "max_fail"}
_PHRASES = [
    ("run the same command again", "make the same call again"),
    ("Run the same command again", "Make the same call again"),
    ("the same command", "the same call"),
    ("on the command line", "in the call"),
    ("add it to tooljudge.toml", "give it as `prices={...}` or `tj.Judge(..., price=...)`, or add it to tooljudge.toml"),
]


def without_promise(text):
    """What is said of a run that was stopped, where its replies are kept nowhere."""
    text = re.sub("every reply (that came )?is kept", "no reply is kept", text)
    return re.sub(r"\. (Make the same call|Run the same command) again to go on from there", "", text)


@functools.cache
def _names():
    from . import _flags

    return {name.rstrip("_") for kind in vars(_flags).values() for name in getattr(kind, "names", ())}


def in_python(text):
    """The text with options as they are given here."""
    if "--" in text:
        text = _FLAG.sub(_option, text)
    for theirs, ours in _PHRASES:
        text = text.replace(theirs, ours)
    return text


def _option(found):
    valued, value, opened, alone, closed = (found[name] for name in ("valued", "value", "opened", "alone", "closed"))
    if valued is None and alone is None:
        return found[0]
    name = (valued or alone).replace("-", "_")
    if name not in _names():
        return found[0]
    name = "from_" if name == "from" else name
    if valued is None:
        return f"`{name}`" if opened == closed else f"{opened}{name}{closed}"
    key, pairs, one = value.partition("=")
    if name in _PAIRS and pairs:
        return f'`{name}={{"{key}": "{one}"}}`'
    return f'`{name}="{value}"`'
