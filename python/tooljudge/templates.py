"""The prompt templates of judges: `templates.list()`, `templates.show(name)`, `templates.check(path)`."""

from __future__ import annotations

from . import _run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

__all__ = ["check", "list", "show"]


def list() -> dict[str, str]:
    """The built-in templates: their names, each with what it asks.

    >>> list()["tool_selection"]
    'Whether the right tools were chosen, calling none included, whatever the arguments'
    """
    lines = (line.strip() for line in _said("list").splitlines())
    return {name: words.strip() for name, _, words in (line.partition(" ") for line in lines if line)}


def show(name: str) -> str:
    """The text of a built-in template, as a start for your own.

    >>> "{{ question }}" in show("tool_calling")
    True
    """
    return _said("show", name)


def check(path: str | os.PathLike[str], *, rails: str | Sequence[str] | None = None) -> str:
    """What is understood of a template file; raises `SettingsError` where it has a mistake."""
    import os

    return _said("check", os.fspath(path), **({} if rails is None else {"rails": rails}))


def _said(*words: str, **options: Any) -> str:
    texts, _, _ = _run.run(f"templates {words[0]}", options, words[1:], [], False, None, False)
    return texts[-1] if texts else ""
