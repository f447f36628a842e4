"""The jobs that measure judges: `bench`, `compare`, `audit`. Their results display themselves in a notebook."""

from __future__ import annotations

from . import _run
from ._errors import InputError, SettingsError
from ._jobs import STOP, record, rehearses, selects, with_files
from ._flags import AuditOptions, BenchOptions, CompareOptions
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal, Unpack, overload

    from ._flags import AuditRest, BenchRest
    from ._kinds import Data


class Report:
    """The figures of a job.

    Attributes:
        record: All of it, as the command line writes it with `--report FILE.json`.
        passed: Whether all gates (`min_accuracy`, `max_flip_rate`, `gate`, ...) were passed.
        rows: The labelled rows, where `return_rows` asked for them.
        figures: One row for each figure, with the ends of its 95 % confidence interval where it has one: a frame of pandas or polars
            where one is imported, otherwise a list of dicts.
    """

    record: dict[str, Any]
    passed: bool
    # Of the kind of the data.
    rows: Any

    def __init__(self, record: dict[str, Any], passed: bool, rows: Any = None) -> None:
        self.record, self.passed, self.rows = record, passed, rows

    @property
    def figures(self) -> Any:
        """One row for each figure."""
        import sys

        rows = list(self._figures())
        if "pandas" in sys.modules:
            return sys.modules["pandas"].DataFrame(rows)
        if "polars" in sys.modules:
            return sys.modules["polars"].DataFrame(rows, infer_schema_length=None)
        return rows

    def __repr__(self) -> str:
        lines = [
            f"<tooljudge.{type(self).__name__}>",
            *(", ".join(f"{name} {cell}" for name, cell in row.items()) for row in self._shown()),
        ]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        rows = list(self._shown())
        names = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{escape(str(row.get(name, '')))}</td>" for name in names) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{escape(self._below())}"

    def _below(self) -> str:
        return "In brackets: 95 % confidence intervals."

    def _figures(self) -> Iterator[dict[str, Any]]:
        raise NotImplementedError

    def _shown(self) -> Iterator[dict[str, Any]]:
        raise NotImplementedError


class BenchReport(Report):
    """How good judges are: see `Report`. `figures` holds them overall and by slice: `labelled` is the share of rows with a label, and the
    other figures are over these rows, but for `auc`."""

    def _figures(self) -> Iterator[dict[str, Any]]:
        for judge in self.record["entrants"]:
            named = {name: judge[name] for name in ("judge", "template", "task", "baseline")}
            for one in [judge["overall"], *judge["slices"]]:
                place = {"by": one.get("by"), "slice": one.get("value"), "rows": one.get("rows")}
                for name, figure in {"labelled": one["coverage"], **one["figures"]}.items():
                    yield {**named, **place, "figure": name, **{end: figure[end] for end in ("value", "low", "high")}}

    def _shown(self) -> Iterator[dict[str, Any]]:
        several = len({judge["template"] for judge in self.record["entrants"]}) > 1
        for judge in self.record["entrants"]:
            figures, named = judge["overall"]["figures"], {"judge": judge["judge"]}
            if several:
                named["template"] = judge["template"]
            rows, share = judge["overall"]["rows"], judge["overall"]["coverage"]["value"]
            named |= {"rows": rows, "labelled": "–" if share is None else f"{round(share * rows)} ({share:.0%})"}
            shown = ("accuracy", "balanced_accuracy", "recall_correct", "recall_incorrect", "kappa", "auc")
            yield {**named, **{name: _interval(figures.get(name)) for name in shown}}


class Comparison(Report):
    """Whether judges differ: see `Report`. `figures` holds each measure of each pair of judges."""

    def _figures(self) -> Iterator[dict[str, Any]]:
        judges = self.record.get("judges") or self.record["agents"]
        for pair in self.record["comparisons"]:
            named = {"a": judges[pair["a"]], "b": judges[pair["b"]], "rows": pair["rows"]}
            for one in pair["differences"]:
                difference = one["difference"] or {"value": None, "low": None, "high": None}
                yield {
                    **named,
                    "measure": one["measure"],
                    "value_a": one["a"],
                    "value_b": one["b"],
                    **{name: difference[end] for name, end in (("difference", "value"), ("low", "low"), ("high", "high"))},
                    "p": one["p"],
                    "p_adjusted": one["p_adjusted"],
                }

    def _shown(self) -> Iterator[dict[str, Any]]:
        judges = self.record.get("judges") or self.record["agents"]
        for pair in self.record["comparisons"]:
            named = {"a": judges[pair["a"]], "b": judges[pair["b"]], "rows": pair["rows"], "verdict": pair.get("verdict")}
            for one in pair["differences"]:
                if one["measure"] == self.record["measure"]:
                    p = one["p_adjusted"]
                    yield {
                        **named,
                        one["measure"]: f"{_share(one['a'])} and {_share(one['b'])}",
                        "difference": _interval(one["difference"]),
                        "p": "" if p is None else f"{p:.3g}",
                    }


class Audit(Report):
    """How robust judges are: see `Report`. `figures` holds each kind of attack and of change."""

    def _figures(self) -> Iterator[dict[str, Any]]:
        for judge in self.record["judges"]:
            named = {name: judge[name] for name in ("judge", "template", "task")}
            for one in judge["families"]:
                rate = one["beyond_noise"] or {"value": None, "low": None, "high": None}
                counts = {name: one[name] for name in ("answered", "flips", "unlabelled")}
                yield {**named, "kind": one["kind"], "name": one["name"], **counts, **rate}

    def _shown(self) -> Iterator[dict[str, Any]]:
        for judge in self.record["judges"]:
            yield {
                "judge": judge["judge"],
                "template": judge["template"],
                "rows": judge["rows"],
                "flipped by attacks": _interval(judge["attacks"] and judge["attacks"]["beyond_noise"]),
                "flipped by changes that mean the same": _interval(judge["changes"] and judge["changes"]["beyond_noise"]),
            }


def _share(value):
    return "–" if value is None else f"{value:.3f}"


def _interval(figure):
    if not figure or figure["value"] is None:
        return "–"
    return f"{figure['value']:.3f} ({_share(figure['low'])} to {_share(figure['high'])})"


if TYPE_CHECKING:

    @overload
    def bench(data: Data | None = None, *, dry_run: Literal[False] | None = None, **options: Unpack[BenchRest]) -> BenchReport: ...
    @overload
    def bench(data: Data | None = None, *, dry_run: Literal[True], **options: Unpack[BenchRest]) -> list[dict[str, Any]]: ...


@takes(BenchOptions)
def bench(data: Data | None = None, **options: Unpack[BenchOptions]) -> Any:
    """Measures judges on rows with known labels.

    Args:
        data: As for `label`, with a column of gold (`gold`). Instead of it, `bfcl` names the folder with BFCL's files.
        judges: One judge or a list of them, as for `label`; `judge` means the same.
        gold, cluster, by, id: Columns: of gold, of what belongs together, of slices, of names.
        report: Files for reports: .html, .md, .json, or a table.
        min_accuracy, ...: Gates. `passed` of the report says whether all judges passed them.
        return_rows: Keeps the labelled rows in `rows` of the report.
        dry_run: Asks nobody, and gives a record: so many prompts as they would be sent, and what the benchmark would take.

    The other options are those of `tooljudge bench --help`, with underscores.

    Example:
        >>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number", "gold": "correct"}] * 3
        >>> bench(rows).record["entrants"][0]["judge"]
        'builtin'
    """
    if (data is None) == (options.get("bfcl") is None):
        raise SettingsError("give rows with known labels, or the folder of BFCL's files as bfcl=...")
    return _measured("bench", data, options, BenchReport)


if TYPE_CHECKING:

    @overload
    def audit(data: Data, *, dry_run: Literal[False] | None = None, **options: Unpack[AuditRest]) -> Audit: ...
    @overload
    def audit(data: Data, *, dry_run: Literal[True], **options: Unpack[AuditRest]) -> list[dict[str, Any]]: ...


@takes(AuditOptions)
def audit(data: Data, **options: Unpack[AuditOptions]) -> Any:
    """Tests how robust judges are: can text planted in a row change its label?

    Args:
        data: As for `label`.
        judge: One judge or a list of them. Each row takes 15 to 20 requests: `sample` reduces the number of rows.
        gold: The column of gold; attacks then ask for the wrong label.
        max_flip_rate, max_unlabeled, allow_unanswered: Gates. `passed` of the report says whether all judges passed them.
        return_rows: Keeps every question, as it was changed, with its answer in `rows` of the report.
        dry_run: Asks nobody, and gives a record: so many prompts as they would be sent, and what the audit would take.

    The other options are those of `tooljudge audit --help`, with underscores.

    Example:
        >>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number"}]
        >>> audit(rows).record["judges"][0]["judge"]
        'builtin'
    """
    return _measured("audit", data, options, Audit)


@takes(CompareOptions)
def compare(*tables: Data | Sequence[Data] | Mapping[str, Data], **options: Unpack[CompareOptions]) -> Comparison:
    """Tests whether one judge is better than another on the same rows.

    Args:
        tables: Labelled tables, as `label` and `bench(..., return_rows=True).rows` give them, or paths of such; or one list of them, or
            one dict of names and frames. All other judges are compared with the first judge of the first table.
        gold, id, cluster: Columns: of gold in the first table, of what names a row, of what belongs together.
        measure: The measure that decides, `accuracy` by default.
        margin: Tests non-inferiority too: are the others worse by at most this much?
        gate: Whether `passed` of the result depends on all others being better (with `margin`, non-inferior).

    Example:
        >>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": [
        ...     {"name": "say", "parameters": {"properties": {"n": {"type": "integer"}}}}], "gold": "correct"}] * 3
        >>> tasks = ("tool_calling", "tool_selection")
        >>> one, other = (bench(rows, task=task, decide="always", return_rows=True).rows for task in tasks)
        >>> compare(one, other, gold="gold").record["comparisons"][0]["rows"]
        3
    """
    from . import _frames

    several: Any = tables[0] if len(tables) == 1 and _is_list_of_tables(tables[0]) else tables
    named = dict(several[0]) if len(several) == 1 and isinstance(several[0], dict) else None
    words, frames = [], []
    for at, one in enumerate(several if named is None else named.values()):
        given = _frames.source(one, False)
        if not given.tables:
            words += given.inputs
            continue
        if given.is_nothing:
            raise InputError(f"table {at + 1} has no rows")
        words.append(f"memory:{f'table {at + 1}' if named is None else list(named)[at]}")
        frames += given.tables
    texts, _, passed = _run.run("compare", {**options, "json": True}, words, frames, False, STOP.get(), False, named=True)
    return Comparison(record(texts[-1]), passed)


def _is_list_of_tables(data):
    """Whether it is that, and not a table of rows."""
    from ._json import record

    return isinstance(data, (list, tuple)) and bool(data) and all(record(one) is None for one in data)


def _measured(command, data, options, kind):
    """Runs a command that gives a record, and with `return_rows` a table."""
    from . import _frames

    options = dict(options)
    progress, returns_rows = options.pop("progress", None), bool(options.pop("return_rows", False))
    judges = options.pop("judges", None)
    if judges is not None:
        if options.get("judge") is not None:
            raise SettingsError("give judge or judges, not both")
        options["judge"] = judges
    options["json"] = True
    has_files = data is None and options.get("bfcl") is not None
    given = _frames.Paths([]) if has_files else _frames.source(data, returns_rows and selects(options))
    with with_files(options) as options:
        texts, made, passed = _run.run(command, options, given.inputs, given.tables, returns_rows, STOP.get(), progress)
    found = record(texts[-1])
    if rehearses(options):
        return found
    _run.log_outcome(command, found)
    if made is None:
        return kind(found, passed)
    if command == "audit":
        return kind(found, passed, given.whole(made))
    return kind(found, passed, given.give(made, found["entrants"][0]["record"]["prefix"] + "label"))
