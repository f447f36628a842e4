"""A table as HTML, for notebooks: the job's own columns come first, and no cell takes more than a few lines."""

import json
from html import escape

MOST_ROWS = 20
# Characters of a cell.
_MOST = 160
# What the job says that is worth a reader's first look, in columns that may have a prefix.
_FIRST = ("label", "score", "passed", "status", "explanation", "reason", "findings", "confidence", "error")
_STYLE = """<style>
.tooljudge { max-width: 100%; overflow-x: auto }
.tooljudge th, .tooljudge td { text-align: left !important; vertical-align: top }
.tooljudge td div { max-width: 22em; max-height: 4.5em; overflow: hidden; overflow-wrap: break-word }
</style>"""


def html(rows, columns, ours, count):
    """`rows` are the first ones of `count`; `ours` are the columns that the job added."""
    names = _in_order(rows, columns, ours)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td><div>{escape(_text(row[name]))}</div></td>" for name in names) + "</tr>" for row in rows)
    shown = f"{count} rows" if len(rows) == count else f"the first {len(rows)} of {count} rows"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="tooljudge">{_STYLE}{table}</div><p>{shown}</p>'


def _in_order(rows, columns, ours):
    """What was found, the table's own columns, and then the particulars."""
    said = [name for name in ours if name.endswith(_FIRST) and any(row[name] not in (None, []) for row in rows)]
    own = [name for name in columns if name not in ours]
    return [*said, *own, *(name for name in ours if name not in said)]


def _text(value):
    """Cut before it is escaped, as a cut entity is none."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST else text[: _MOST - 1].rstrip() + "…"
