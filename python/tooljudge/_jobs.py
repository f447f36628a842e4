"""The jobs: `label`, `resnap`, `bench`, `score`. Every option is a flag of the command line."""

import contextvars

from . import _run
from ._errors import SettingsError

# How a job of this context is stopped from elsewhere.
STOP = contextvars.ContextVar("tooljudge_stop", default=None)


def label(
    data,
    *,
    judge=None,
    task=None,
    per=None,
    findings=False,
    config=None,
    base_rate=None,
    template=None,
    rails=None,
    scale=None,
    explain=False,
    votes=None,
    snap=None,
    base_url=None,
    allow_http=False,
    api_key_env=None,
    temperature=None,
    max_tokens=None,
    timeout=None,
    max_attempts=None,
    max_wait=None,
    concurrency=None,
    rpm=None,
    tpm=None,
    itpm=None,
    otpm=None,
    ignore_rate_headers=False,
    max_cost=None,
    store=None,
    fresh=False,
    retry=None,
    keep_prompts=False,
    from_=None,
    column=None,
    tools=None,
    where=None,
    limit=None,
    sample=None,
    seed=None,
    null_call=None,
    require_definitions=False,
    include_server_tools=False,
    agents=False,
    turns=None,
    prefix=None,
    overwrite=False,
    drop=None,
    calibration=None,
    allow_unjudged=None,
    min_pass_rate=None,
    gate_on=None,
    max_fail=None,
    junit=None,
    fold=None,
    fold_output=None,
    output=None,
    to=None,
    force=False,
    progress=None,
    return_summary=False,
):
    """Labels every tool call of a table as correct or incorrect.

    Args:
        data: A pandas or polars frame, a pyarrow table or reader, a list of dicts, anything with `__arrow_c_stream__`; or a path, a
            glob or a list of these. Questions, calls and definitions are found by their usual names (`question`, `tool_call`,
            `tool_definitions`, ...); `column={"question": "user_msg"}` names others.
        judge: `builtin` (offline, free), `PROVIDER:MODEL` such as `openai:gpt-5-mini`, a name out of tooljudge.toml, or a list.
        task: What to judge: `tool_calling` (default), `tool_selection`, `parameter_extraction`, ..., or a list.
        per: `call` judges each call of a turn by itself.
        findings: Lists what is wrong in the column `findings`.
        explain: Asks for an explanation before the label.
        votes: Asks each question so often, an odd number; most votes decide.
        max_cost: The most that the run may cost, in US dollars; needs `max_tokens`.
        rpm, tpm, itpm, otpm: Requests, tokens, prompt tokens, answer tokens per minute.
        concurrency: Requests in flight, or `auto`.
        timeout, max_wait: Seconds.
        store: The file of replies, `.tooljudge/replies.sqlite` by default. The same call again asks nothing twice.
        where: Only rows whose columns hold these texts: `{"language": "en"}`.
        limit, sample, seed: So many rows from the top, or at random.
        tools: Tool definitions for rows that have none: a list of dicts, or a path.
        drop: Columns that are not given back.
        output: A file for the labelled table instead of a frame; its record is returned.
        progress: Whether a bar is shown; by default in a terminal only.
        return_summary: Gives a pair: the table, and the record of the run (counts, tokens, cost).

    The other options are those of `tooljudge label --help`, with underscores.

    Returns:
        The kind of frame that came in, in the same order and with the same index, with the columns `label`, `score`, `status`,
        `explanation`, `confidence`, `error` and more beside its own. Rows of a log are turns. For paths and streams, see
        `tooljudge.Frame`; a stream becomes a pyarrow table where pyarrow is installed.

    Raises:
        InputError: The rows cannot be read. SettingsError: an option cannot hold. JudgeError: the judge cannot be asked.
        KeyboardInterrupt: After Ctrl-C. The first waits for the requests in flight and keeps their replies, the second does not wait.

    Example:
        >>> rows = [{"question": "Weather in Oslo?", "tool_call": "weather(town='Oslo')",
        ...          "tool_definitions": '[{"name": "weather", "parameters": {"properties": {"city": {}}}}]'}]
        >>> [row["label"] for row in label(rows, judge="builtin")]
        ['incorrect']
    """
    options = dict(locals())
    return _table("label", "label", options.pop("data"), options)


def resnap(data, *, read_rails=None, **options):
    """Reads the stored replies of a run of `label` again, with other rules (`snap`) or labels (`read_rails`). Nobody is asked.

    Takes the arguments of the run of `label` that stored the replies; gives what `label` gives. Rows that were never asked have the
    status `not_asked`.

    Example:
        >>> rows = [{"question": "Weather in Oslo?", "tool_call": "weather(town='Oslo')",
        ...          "tool_definitions": '[{"name": "weather", "parameters": {"properties": {"city": {}}}}]'}]
        >>> resnap(rows)[0]["status"]
        'judged'
    """
    _check(options, label)
    return _table("resnap", "label", data, {**options, "read_rails": read_rails})


def label_batches(batches, **options):
    """Labels tables one by one as an iterator gives them, so that memory holds one at a time; gives the labelled ones one by one.

    Takes the options of `label`. `max_cost` is of all together. Each batch is a run of its own: rates per minute begin anew, so
    batches of some thousands of rows serve best.

    Example:
        >>> batches = ([{"question": f"Say {n}", "tool_call": f"say(n={n})", "tool_definitions": "say: Says a number"}] for n in range(2))
        >>> [len(batch) for batch in label_batches(batches)]
        [1, 1]
    """
    _check(options, label)
    if options.get("output") is not None:
        raise SettingsError("output: each batch would replace the file of the one before; write the batches as they come")
    both = options.pop("return_summary", False)
    left = options.pop("max_cost", None)
    for batch in batches:
        made, summary = label(batch, **options, max_cost=left, return_summary=True)
        if left is not None:
            # The command line knows no ceiling of nothing.
            left = max(1e-9, left - sum(member["summary"]["cost_usd"] or 0.0 for member in summary["panel"]))
        yield (made, summary) if both else made


class Report:
    """The figures of a benchmark.

    Attributes:
        record: All of it, as `tooljudge bench --report bench.json` writes it.
        passed: Whether the judges reached every `min_...`.
    """

    def __init__(self, record, passed, rows):
        self.record, self.passed, self.rows = record, passed, rows

    @property
    def figures(self):
        """One row for each figure of each judge, overall and by slice: a frame of pandas or polars where one is imported, otherwise a
        list of dicts."""
        return _as_frame(list(self._figures()))

    def _figures(self):
        for judge in self.record["entrants"]:
            named = {name: judge[name] for name in ("judge", "template", "task", "baseline")}
            for one in [judge["overall"], *judge["slices"]]:
                place = {name: one.get(name) for name in ("by", "value", "rows")}
                place["slice"] = place.pop("value")
                for name, figure in one["figures"].items():
                    yield {**named, **place, "figure": name, **{end: figure[end] for end in ("value", "low", "high")}}

    def __repr__(self):
        judges = ", ".join(f"{judge['judge']} ({judge['template']})" for judge in self.record["entrants"])
        return f"<tooljudge.Report on {judges}>"


def bench(
    data,
    *,
    judge=None,
    gold=None,
    cluster=None,
    by=None,
    id=None,
    errata=None,
    no_baselines=False,
    repeat=None,
    report=None,
    cases=None,
    audit=None,
    suspects=None,
    min_accuracy=None,
    min_balanced_accuracy=None,
    min_f1=None,
    min_kappa=None,
    min_mcc=None,
    min_auc=None,
    return_rows=False,
    **options,
):
    """Measures judges on rows with known labels.

    Args:
        data: As for `label`, with a column of gold (`gold`).
        judge: One judge or a list of them.
        gold, cluster, by, id: Columns: of gold, of what belongs together, of slices, of names.
        report: Files for reports: .html, .md, .json, or a table.
        return_rows: Keeps the labelled rows in `Report.rows`.
        options: Those of `label` that say who judges and what is read.

    Returns:
        A `Report`: `figures` is a frame, `record` holds everything.

    Example:
        >>> rows = [{"question": "Say 1", "tool_call": "say(n=1)", "tool_definitions": "say: Says a number", "gold": "correct"}] * 3
        >>> bench(rows).record["entrants"][0]["judge"]
        'builtin'
    """
    own = {name: value for name, value in locals().items() if name not in ("data", "options", "return_rows")}
    _check(options, label, {"drop", "calibration", "min_pass_rate", "max_fail", "fold", "fold_output", "junit", "output", "to", "return_summary"})
    known, progress = {**own, **options, "json": True}, options.get("progress")
    known.pop("progress", None)
    from . import _frames

    if _run.is_orphaned():
        from . import _spawned

        return _spawned.call("bench", data, {**options, **own, "return_rows": return_rows})
    given = _frames.source(data, _selects(known))
    with _tools(known) as known:
        texts, made, passed = _run.run(
            "bench", known, given.inputs, given.tables, return_rows, STOP.get(), progress
        )
    rows = None
    if made is not None:
        record = _record(texts[-1])
        first = record["entrants"][0]["record"]["prefix"] + "label"
        rows = given.give(made, first) if given.columns is not None else given.whole(made)
    return Report(_record(texts[-1]), passed, rows)


def score(
    data,
    *,
    scorer=None,
    compat=None,
    from_=None,
    where=None,
    limit=None,
    config=None,
    threshold=None,
    strict=False,
    evaluate=None,
    consider_ordering=False,
    exact_match=False,
    ordered=False,
    require_all=None,
    allow_extras=None,
    params=None,
    tolerance=None,
    order_matters=None,
    match=None,
    args=None,
    allowed_tools=None,
    denied_tools=None,
    metric=None,
    set=None,
    column=None,
    judge=None,
    template=None,
    explain=False,
    base_url=None,
    allow_http=False,
    api_key_env=None,
    temperature=None,
    max_tokens=None,
    timeout=None,
    max_attempts=None,
    max_wait=None,
    concurrency=None,
    rpm=None,
    tpm=None,
    itpm=None,
    otpm=None,
    ignore_rate_headers=False,
    max_cost=None,
    store=None,
    fresh=False,
    retry=None,
    keep_prompts=False,
    min_pass_rate=None,
    junit=None,
    prefix=None,
    overwrite=False,
    output=None,
    to=None,
    force=False,
    progress=None,
    return_summary=False,
):
    """Scores tool calls against the expected ones: deterministic, offline, and a model only where `judge` names one.

    Args:
        data: As for `label`: cases in the form of a scorer's peer, or a table with `tool_call` and `expected_tool_calls`.
        scorer: Its name (`tooljudge score --scorers` lists them); by default the one that the cases' keys give away.
        compat: The peer whose numbers are to be given, such as `deepeval`.
        return_summary: Gives a pair: the table, and the counts.

    The other options are those of `tooljudge score --help`, with underscores.

    Returns:
        The kind of frame that came in, with the columns `score`, `passed`, `reason`, `metadata`, `issues` and `error`.

    Example:
        >>> call = {"name": "weather", "arguments": {"city": "Oslo"}}
        >>> score([{"tool_call": call, "expected_tool_calls": [call]}], scorer="tool_correctness")[0]["score"]
        1.0
    """
    options = dict(locals())
    return _table("score", "score", options.pop("data"), options)


def _table(command, first, data, options):
    """Runs a command that gives the rows back with more columns, the first of which is `first`."""
    from . import _frames

    if _run.is_orphaned():
        from . import _spawned

        return _spawned.call(command, data, options)
    progress, both = options.pop("progress", None), options.pop("return_summary", False)
    options = {**options, "json": True}
    if isinstance(data, (list, tuple)) and not data:
        return ([], {}) if both else []
    given = _frames.source(data, _selects(options))
    to_file = options.get("output") is not None
    with _tools(options) as options:
        texts, made, _ = _run.run(
            command, options, given.inputs, given.tables, not to_file, STOP.get(), progress
        )
    summary = _record(texts[-1]) if texts else {}
    if to_file:
        return summary
    if made is None:
        raise SettingsError("the settings file asks for a dry run: take dry_run out of it")
    if given.columns is None:
        made = given.whole(made)
    else:
        made = given.give(made, _first_column(made, first, summary))
    return (made, summary) if both else made


def _record(text):
    import json

    return json.loads(text)


def _selects(options):
    """Whether rows may be left out: by an option, or by a settings file."""
    import os

    chosen = ("where", "limit", "sample", "config")
    return any(options.get(name) is not None for name in chosen) or os.path.exists("tooljudge.toml")


def _first_column(made, first, summary):
    """The name of the first column that the job added."""
    if "panel" in summary:
        return summary["panel"][0]["prefix"] + first
    # A settings file may have set the prefix.
    ours = ("score", "passed", "reason", "metadata", "issues")
    for at in range(len(made.columns) - len(ours), -1, -1):
        prefix = made.columns[at].removesuffix(first)
        if made.columns[at : at + len(ours)] == [prefix + name for name in ours]:
            return made.columns[at]
    raise SettingsError(f"the table has no column {first!r}")


def _check(options, job, but=frozenset()):
    """Refuses options that `job` does not have."""
    known = set(job.__kwdefaults__) - set(but)
    for name in options:
        if name not in known:
            raise TypeError(f"unexpected keyword argument {name!r}; the options are {', '.join(sorted(known))}")


class _tools:
    """Tool definitions that are no path, in a file for as long as the job takes."""

    def __init__(self, options):
        self.options, self.file = options, None

    def __enter__(self):
        tools = self.options.get("tools")
        if not isinstance(tools, (list, dict)):
            return self.options
        import os
        import tempfile

        from ._json import text

        handle, self.file = tempfile.mkstemp(suffix=".json", prefix="tools-")
        with os.fdopen(handle, "w") as file:
            file.write(text(tools))
        return {**self.options, "tools": self.file}

    def __exit__(self, *_):
        if self.file is not None:
            import os

            os.unlink(self.file)


def _as_frame(rows):
    """Rows as a frame of the library that the program uses, if it uses one."""
    import sys

    if "pandas" in sys.modules:
        return sys.modules["pandas"].DataFrame(rows)
    if "polars" in sys.modules:
        return sys.modules["polars"].DataFrame(rows)
    return rows
