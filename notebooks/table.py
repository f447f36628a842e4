"""Shows a frame as a table that reads like text: aligned to the left, without quotes, floats with two digits."""

from html import escape

import polars as pl
from IPython.display import HTML


def table(frame: pl.DataFrame) -> HTML:
    def line(cells, tag):
        return "<tr>" + "".join(f'<{tag} style="text-align: left">{cell}</{tag}>' for cell in cells) + "</tr>"

    body = "".join(line(map(_cell, row), "td") for row in frame.iter_rows())
    return HTML(f"<table><thead>{line(map(escape, frame.columns), 'th')}</thead><tbody>{body}</tbody></table>")


def _cell(value) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else escape(str(value))
