"""Checks of options that only Python can do, and that need no rows."""

import os
from collections.abc import Iterable, Mapping

from . import _words
from ._errors import InputError, JudgeError, SettingsError

# Options that name columns of the rows or files to write, or that are no flags.
_LEFT_OUT = {
    *("by", "column", "drop", "dry_run", "errata", "fold", "fold_output", "force", "id", "junit", "keep", "output", "partial", "progress"),
    *("report", "return_summary", "to", "where"),
}
_ROW = b'{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}'


def refuse(job, given):
    """Raises for values that would be taken for others."""
    if given.get("progress") not in (None, True, False):
        raise SettingsError("progress: give True for a bar, or False for none")
    for name, value in given.items():
        _refuse_shape(name, value, job.__signature__.parameters[name].annotation)
    if given.get("store") is False:
        for name in _OF_STORES:
            if given.get(name):
                raise SettingsError(f"{name} has no effect beside store=False, which keeps nothing; leave out either")


# What is about replies that a store keeps.
_OF_STORES = ("purse", "fresh", "retry", "keep_prompts")


def _refuse_shape(name, value, kind):
    """Raises for a dict where none is wanted, and for what is none where one is. `kind` is the type as it is written."""
    if not isinstance(kind, str) or value is None or value is False:
        return
    if isinstance(value, Mapping) and "Mapping" not in kind:
        remedy = "a list of labels, the one for right calls first, such as ['yes', 'no']" if name == "rails" else "a value, or a list of them"
        raise SettingsError(f"{name}: it takes no dict; give {remedy}")
    if kind.startswith("Path |") and isinstance(value, (bool, int, float)):
        # A number would be the file that is open under it.
        raise SettingsError(f"{name}: {value!r} is no path")
    if name in _COLUMNS and isinstance(value, bool):
        raise SettingsError(f"{name}: {value!r} is no column's name; give a text, or a list of texts")
    if kind.startswith("Mapping") and not isinstance(value, Mapping) and not all(map(_is_pair, _each(value))):
        raise SettingsError(f"{name}: give a dict, such as {name}={_words.PAIRS[name]}")


# Options that name columns, one or several.
_COLUMNS = ("by", "drop", "fold", "id", "keep")


def _each(value):
    return [value] if isinstance(value, str) or not isinstance(value, Iterable) else value


def _is_pair(one):
    return isinstance(one, str) and "=" in one or isinstance(one, tuple) and len(one) == 2


def check(options):
    """Raises what `label` would raise for options that hold for no rows. Nobody is asked."""
    import warnings

    from . import _jobs, _run
    from ._native import Table

    if _has_settings(options) or _run.is_orphaned():
        # A settings file may name columns, too; and no job can run in a process that was forked.
        return
    options = {name: value for name, value in options.items() if name not in _LEFT_OUT}
    options.update(dry_run=1, output="-", json=True)
    with warnings.catch_warnings(), _jobs.with_files(options) as options:
        warnings.simplefilter("ignore")
        try:
            _run.run("label", options, (), [Table.of_lines(_ROW)], False, None, False)
        except (InputError, JudgeError):
            # The rows to come may be others, and so may be what the judge needs then.
            pass


def _has_settings(options):
    return options.get("config") not in (None, False) or os.path.exists("tooljudge.toml")
