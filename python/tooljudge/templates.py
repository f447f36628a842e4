"""The words that judges are asked in: `templates.list()`, `templates.show(name)`, `templates.check(path)`."""

from . import _run

__all__ = ["check", "list", "show"]


def list():
    """The built-in templates: their names, each with what it asks.

    >>> list()["tool_selection"]
    'Whether the right tools were chosen, calling none included, whatever the arguments'
    """
    lines = (line.strip() for line in _said("list").splitlines())
    return {name: words.strip() for name, _, words in (line.partition(" ") for line in lines if line)}


def show(name):
    """The text of a built-in template, as a start for your own.

    >>> "{{ question }}" in show("tool_calling")
    True
    """
    return _said("show", name)


def check(path, *, rails=None):
    """What is understood of a template file; raises `SettingsError` where it has a mistake."""
    import os

    return _said("check", os.fspath(path), **({} if rails is None else {"rails": rails}))


def _said(*words, **options):
    texts, _, _ = _run.run(f"templates {words[0]}", options, words[1:], [], False, None, False)
    return texts[-1] if texts else ""
