"""Shows a frame as a table that reads like text: aligned to the left, without quotes or more digits than matter."""

from html import escape

import polars as pl
from IPython.display import HTML


def table(frame: pl.DataFrame, digits: int = 2) -> HTML:
    def line(cells, tag):
        return "<tr>" + "".join(f'<{tag} style="text-align: left">{cell}</{tag}>' for cell in cells) + "</tr>"

    body = "".join(line([_cell(value, digits) for value in row], "td") for row in frame.iter_rows())
    return HTML(f"<table><thead>{line(map(escape, frame.columns), 'th')}</thead><tbody>{body}</tbody></table>")


def _cell(value, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:.{digits}f}" if isinstance(value, float) else escape(str(value))
