"""`next`: the rows of a labelled table or a log to mark next."""

from __future__ import annotations

from . import _jobs
from ._flags import NextOptions
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack


@takes(NextOptions)
def next(data, **options: Unpack[NextOptions]) -> Any:
    """Draws rows to mark out of a labelled table or a log, so that few marks tell how many calls are right.

    Write `correct` or `incorrect` into the column `gold` of what it gives, save that, and `label(log, errata="marked.csv")` estimates the share of
    right calls among all rows, with an interval. The rows need ids.

    Args:
        data: What `label` gave, or its file; or a log, whose turns are drawn.
        rows: How many, 20 by default.
        queue: `random` (default), `stratified:COLUMN` (some for each value), `active` (at random, unsure rows more often), `unsure` (the
            least sure first), `disagreement` (where judges differ). Marks of the last two find mistakes and do not count in shares.
        gold: The files with earlier marks, of all rounds.
        id: The column with row ids; `id`, `row_id` or `source_id` by default.
        seed: The same seed draws the same rows.
        output: A file for the rows instead of a frame; its record is returned.
        return_summary: Gives a pair: the rows, and the record of the draw.

    Returns:
        The rows, of the kind of `data`, without labels: with an empty column `gold`, and how each was drawn.

    Example:
        >>> from tooljudge import label
        >>> rows = [{"id": n, "question": f"Say {n}", "tool_call": f"say(n={n})", "tool_definitions": "say: Says a number"} for n in range(9)]
        >>> [(row["gold"], row["draw_queue"], row["draw_size"], row["draw_from"]) for row in next(label(rows), rows=2)]
        [(None, 'random', 2, 9), (None, 'random', 2, 9)]
    """
    return _jobs.rows("next", data, options)
