"""The jobs that return a table: `label`, `label_batches`, `resnap`, `score`, `convert`, `gold`."""

from __future__ import annotations

import contextvars

from . import _run, _slips, _words
from ._errors import InputError, SettingsError
from ._flags import BatchOptions, ConvertOptions, GoldOptions, LabelOptions, ResnapOptions, ScoreOptions
from ._functions import in_rows
from ._options import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

# Rows of a lazy frame that are labelled at a time.
_PIECE = 10_000
# How a job of this context is stopped from elsewhere.
STOP = contextvars.ContextVar("tooljudge_stop", default=None)


@takes(LabelOptions)
def label(data, **options: Unpack[LabelOptions]) -> Any:
    """Labels every tool call of a table as correct or incorrect.

    Args:
        data: A pandas or polars frame, a pyarrow table or reader, a Hugging Face dataset, a list of dicts or of objects with fields, a
            dict of columns, anything with `__arrow_c_stream__`; or a path, a glob or a list of these. Questions, calls and definitions are found by their usual names (`question`, `tool_call`,
            `tool_definitions`, ...); `column={"question": "user_msg"}` names others.
        judge: `builtin` (offline, free), `builtin:FILE` with a model of `tooljudge train`, `PROVIDER:MODEL` such as
            `openai:gpt-5-mini`, a name out of tooljudge.toml, a function from a list of prompts to a list of texts (see `Judge`), or a
            list of these.
        first: `builtin` lets the built-in judge look before the models do: what it settles by evidence is not sent.
        task: What to judge: `tool_calling` (default), `tool_selection`, `parameter_extraction`, ..., or a list.
        api_key: The key, which is stored nowhere. By default that of the environment (`OPENAI_API_KEY` and so on).
        per: `call` judges each call of a turn by itself.
        findings: Lists what is wrong in the column `findings`, of which `tooljudge.findings` makes a table.
        explain: Asks for an explanation before the label.
        votes: Asks each question so often, an odd number; most votes decide.
        max_cost: The most that the run may cost, in US dollars; needs `max_tokens`.
        rpm, tpm, itpm, otpm: Requests, tokens, prompt tokens, answer tokens per minute.
        concurrency: Requests in flight, or `auto`.
        timeout, max_wait: Seconds.
        store: The file of replies, `.tooljudge/replies.sqlite` by default. The same call again asks nothing twice. `False` keeps none.
        where: Only rows whose columns hold these texts: `{"language": "en"}`.
        limit, sample, seed: So many rows from the top, or at random.
        tools: Tool definitions for rows that have none: a list of dicts, or a path.
        keep: The columns of the data that are given back, beside the added ones: all by default.
        drop: Columns that are not given back.
        dry_run: Asks nobody, and gives a record: so many prompts as they would be sent, and what the run would take.
        partial: After Ctrl-C, gives the rows that have a label so far, with a warning, instead of raising `KeyboardInterrupt`.
        output: A file for the labelled table instead of a frame; its record is returned.
        progress: Whether a bar is shown; by default in a terminal and in a notebook.
        return_summary: Gives a pair: the table, and the record of the run (counts, tokens, cost, whether all gates were `passed`).
            With `output`, the record is all there is.

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
    return _table("label", "label", data, options)


@takes(ResnapOptions)
def resnap(data, **options: Unpack[ResnapOptions]) -> Any:
    """Reads the stored replies of a run of `label` again, with other rules (`snap`) or labels (`read_rails`). Nobody is asked.

    Takes the arguments of the run of `label` that stored the replies; gives what `label` gives. Rows that were never asked have the
    status `not_asked`.

    Example:
        >>> rows = [{"question": "Weather in Oslo?", "tool_call": "weather(town='Oslo')",
        ...          "tool_definitions": '[{"name": "weather", "parameters": {"properties": {"city": {}}}}]'}]
        >>> resnap(rows, judge="builtin")[0]["status"]
        'judged'
    """
    return _table("resnap", "label", data, options)


@takes(BatchOptions, forks=False)
def label_batches(batches, **options: Unpack[BatchOptions]) -> Any:
    """Labels tables one by one as an iterator gives them, so that memory holds one at a time; gives the labelled ones one by one.

    Args:
        batches: An iterator of tables; a pyarrow reader of record batches; a lazy frame of polars, which is read in pieces.

    The options are those of `label`. `max_cost` is of all together; `limit` and `sample` are of each batch. Each batch is a run of its own: rates per minute begin anew, so
    batches of some thousands of rows serve best.

    Example:
        >>> batches = ([{"question": f"Say {n}", "tool_call": f"say(n={n})", "tool_definitions": "say: Says a number"}] for n in range(2))
        >>> [len(batch) for batch in label_batches(batches)]
        [1, 1]
    """
    if hasattr(batches, "collect_batches"):
        batches = batches.collect_batches(chunk_size=_PIECE)
    elif hasattr(batches, "columns") or hasattr(batches, "column_names") or isinstance(batches, (str, dict)):
        raise InputError(f"{type(batches).__name__} is one table: give it to label, or give an iterator of its pieces")
    _slips.check(options)
    return _batches(batches, options)


def _batches(batches, options):
    both = options.pop("return_summary", False)
    left = options.pop("max_cost", None)
    if left is None:
        left = told("max_cost", options)
    # A batch may be empty; all of them together are the input.
    may_be_empty = options.pop("allow_empty", None)
    if may_be_empty is None:
        may_be_empty = told("allow_empty", options)
    for name in _OF_ALL:
        if told(name, options) not in (None, False):
            _run.warn(f"{name}: of the settings file, it is left out: each batch would write the file anew")
            options[name] = False
    rows = 0
    for batch in batches:
        made, summary = label(batch, **options, allow_empty=True, max_cost=left, return_summary=True)
        rows += max((member["summary"]["rows"] for member in summary.get("panel", ())), default=0)
        # A purse has counted already what other runs have spent.
        if left not in (None, False) and not (options.get("purse") or told("purse", options)):
            # The command line knows no ceiling of nothing. An empty batch asks nobody.
            spent = sum(member["summary"]["cost_usd"] or 0.0 for member in summary.get("panel", ()))
            left = max(1e-9, float(left) - spent)
        yield (made, summary) if both else made
    if rows == 0 and not may_be_empty:
        _run.warn(_NO_ROWS)


# Files that are about all rows of a run.
_OF_ALL = ("fold", "fold_output", "junit", "report")


def told(name, options):
    """What the settings file says of an option of `label`; a file that is not there or damaged is told of where it is read."""
    import os

    from . import _native

    path = options.get("config") or "tooljudge.toml"
    if not os.path.exists(path):
        return None
    try:
        with open(path, encoding="utf-8") as file:
            return record(_native.settings(file.read())).get("label", {}).get(name)
    except (OSError, ValueError):
        return None


@takes(ScoreOptions)
def score(data=None, **options: Unpack[ScoreOptions]) -> Any:
    """Scores tool calls against the expected ones: deterministic, offline, and a model only where `judge` names one.

    Args:
        data: As for `label`: cases in the form of a scorer's peer, or a table with `tool_call` and `expected_tool_calls`.
        questions, answers, results: Instead of `data`, BFCL's own files.
        scorer: Its name (`tooljudge score --scorers` lists them); by default the one that the cases' keys give away.
        compat: The peer whose numbers are to be given, such as `deepeval`.
        functions: Functions that cases name as `{"kind": "function", "name": "even"}` among `param_validators`: `{"even": is_even}`. In a
            list of dicts, a function may also stand there itself. A function that raises, or returns neither True nor False, leaves its
            case without a score. `Function` gives one a version.
        params: Of the scorer `tool_call`: `strict`, `fuzzy`, or a function of the expected and the actual arguments.
        return_summary: Gives a pair: the table, and the counts.

    The other options are those of `tooljudge score --help`, with underscores.

    Returns:
        The kind of frame that came in, with the columns `score`, `passed`, `reason`, `metadata`, `issues` and `error`.

    Example:
        >>> call = {"name": "weather", "arguments": {"city": "Oslo"}}
        >>> score([{"tool_call": call, "expected_tool_calls": [call]}], scorer="tool_correctness")[0]["score"]
        1.0
    """
    return _table("score", "score", *in_rows(data, options))


@takes(ConvertOptions)
def convert(data, **options: Unpack[ConvertOptions]) -> Any:
    """Converts any log of tool calls to rows, one for each model turn that can be judged.

    Args:
        data: As for `label`: tables, traces, requests and responses of model providers, chats, evaluation logs.
        all: Gives also the rows that cannot be read or hold nothing to judge; a column `status` marks them.
        return_summary: Gives a pair: the rows, and what was read from each input.

    The other options are those of `tooljudge convert --help`, with underscores.

    Returns:
        Rows with the columns `question`, `messages`, `tool_call`, `tool_definitions` and more, of the kind of `data`.

    Raises:
        InputError: Nothing could be read.

    Example:
        >>> chat = [{"role": "user", "content": "Say 1"}, {"role": "assistant", "tool_calls": [
        ...     {"id": "a", "type": "function", "function": {"name": "say", "arguments": '{"n": 1}'}}]}]
        >>> [row["question"] for row in convert([{"messages": chat}])]
        ['Say 1']
    """
    return rows("convert", data, options)


@takes(GoldOptions)
def gold(data=None, **options: Unpack[GoldOptions]) -> Any:
    """Makes a labelled test set of right and wrong tool calls: of your own right calls, or of the files of BFCL.

    Args:
        data: As for `label`: your own right calls. Of a table with a column `gold`, the rows that say `correct`.
        bfcl: Instead of `data`, the folder with the benchmark's files; `results` and `scores` take real models' answers to it.
        seed: The same seed gives the same calls.
        per_question, negatives_per_question, per_type: The most right calls of a question, wrong calls of a question, wrong calls of
            a type.
        return_summary: Gives a pair: the table, and the counts.

    The other options are those of `tooljudge gold --help`, with underscores.

    Example:
        >>> right = [{"question": "Weather in Oslo?", "tool_call": {"name": "weather", "arguments": {"city": "Oslo"}},
        ...           "tool_definitions": [{"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]}]
        >>> sorted({row["gold"] for row in gold(right)})
        ['correct', 'incorrect']
    """
    if (data is None) == (options.get("bfcl") is None):
        raise SettingsError("give your own right calls, or the folder of BFCL's files as bfcl=...")
    # The command line insists on a file.
    options = {**options, "output": options.get("output") or "-"}
    return rows("gold", data, options)


def _table(command, first, data, options):
    """Runs a command that gives the rows back with more columns, the first of which is `first`."""
    from . import _frames

    options = dict(options)
    progress, both = options.pop("progress", None), options.pop("return_summary", False)
    options["json"] = True
    has_files = data is None and command == "score"
    given = _frames.Paths([]) if has_files else _frames.source(data, selects(options), _usual(command, options))
    is_rehearsal = rehearses(options)
    collects = options.get("output") in (None, False) and not is_rehearsal
    if is_rehearsal:
        # The command line insists on a place that nothing is written to.
        options["output"] = options.get("output") or "-"
    try:
        with with_files(options) as options:
            texts, made, passed = _run.run(command, options, given.inputs, given.tables, collects, STOP.get(), progress)
    except InputError:
        # Columns that a template or a settings file names cannot be known of a list without a row.
        if command == "score" or not given.is_nothing or any(options.get(name) for name in _WRITTEN):
            raise
        passed = options.get("allow_empty")
        passed = bool(told("allow_empty", options) if passed is None else passed)
        if not passed:
            _run.warn(_NO_ROWS)
        nothing = given.nothing()
        return (nothing, {"passed": passed}) if both else nothing
    summary = record(texts[-1]) if texts else {}
    _run.log_outcome(command, summary)
    if isinstance(summary, dict):
        summary["passed"] = passed
    if not collects:
        return summary
    if made is None:
        raise SettingsError("the settings file asks for a dry run: take dry_run out of it")
    made = given.give(made, _first_column(made, first, summary))
    return (made, summary) if both else made


def rows(command, data, options):
    """Runs a command that makes rows of its own."""
    from . import _frames

    options = dict(options)
    both, to_file = options.pop("return_summary", False), options.get("output") not in (None, False, "-")
    options["json"] = True
    has_files = data is None and command == "gold"
    given = _frames.Paths([]) if has_files else _frames.source(data, False, _usual(command, options))
    with with_files(options) as options:
        texts, made, passed = _run.run(command, options, given.inputs, given.tables, not to_file, STOP.get(), False)
    summary = record(texts[-1])
    _run.log_outcome(command, summary)
    if not passed and given.is_nothing:
        raise InputError(_NO_ROWS)
    if not passed:
        errors = "; ".join(f"{code}: {one}" for file in summary for code, one in file.get("errors", {}).items())
        raise InputError(f"nothing of it can be read ({errors})")
    if to_file:
        return summary
    made = given.whole(made)
    return (made, summary) if both else made


def rehearses(options):
    """Whether nobody is to be asked: `dry_run=0` shows no prompt."""
    return options.get("dry_run") is not None and options.get("dry_run") is not False


# Files that a job writes.
_WRITTEN = ("output", "report", "junit", "fold_output")
_NO_ROWS = "the input has no rows; `allow_empty` accepts that"
# Columns of the rows of each job.
_COLUMNS = {"score": ("tool_call", "expected_tool_calls")}


def _usual(command, options):
    """The columns of a table that has no row to show them: those that the job reads, and those that options name."""
    names = dict.fromkeys(_COLUMNS.get(command, ("question", "tool_call", "tool_definitions")))
    if command in ("label", "resnap"):
        # A settings file names columns too.
        options = {name: options.get(name, told(name, options)) for name in ("column", "where", "keep", "drop", "by", "fold", "id", "config")}
    for slot, name in _pairs(options.get("column")):
        names.pop(slot, None)
        names[name] = None
    names |= dict.fromkeys(name for name, _ in _pairs(options.get("where")))
    for option in ("keep", "drop", "by", "fold", "id"):
        named = options.get(option)
        several = named.split(",") if option in ("keep", "fold") and isinstance(named, str) else named
        if several is not None and several is not False:
            names |= dict.fromkeys([several] if isinstance(several, (str, int)) else several)
    # It is no column, but the tools that were called.
    names.pop("tool", None)
    return [str(name) for name in names]


def _pairs(given):
    """Names and values, of a dict or of texts with a `=`."""
    if not given:
        return []
    pairs = list(given.items()) if hasattr(given, "items") else [given] if isinstance(given, str) else list(given)
    return [pair if isinstance(pair, tuple) else str(pair).split("=", 1) for pair in pairs]


def record(text):
    import json

    return json.loads(text)


def selects(options):
    """Whether rows may be left out: by an option, or by a settings file."""
    import os

    chosen = ("where", "limit", "sample", "config", "partial")
    return any(options.get(name) is not None for name in chosen) or os.path.exists("tooljudge.toml")


def _first_column(made, first, summary):
    """The name of the first column that the job added."""
    if "panel" in summary:
        return summary["panel"][0]["prefix"] + first
    # A settings file may have set the prefix. Some scorers have figures of their own among these.
    ours = ("passed", "reason", "metadata", "issues")
    for at in range(len(made.columns) - 1, -1, -1):
        prefix, later = made.columns[at].removesuffix(first), made.columns[at + 1 :]
        if made.columns[at] == prefix + first and all(prefix + name in later for name in ours):
            return made.columns[at]
    raise SettingsError(f"the table has no column {first!r}")


class with_files:
    """Tool definitions and templates that are no path, and a store that is not to be kept, as files for as long as a job takes."""

    def __init__(self, options):
        self.options, self.folder, self.names, self.named = options, None, {}, None

    def __enter__(self):
        tools, store, template = (self.options.get(name) for name in ("tools", "store", "template"))
        several = isinstance(template, (list, tuple))
        templates = list(template) if several else [template]
        if not isinstance(tools, (list, tuple, dict)) and store is not False and not any(map(_is_text, templates)):
            return self.options
        import os
        import tempfile

        from ._json import text

        self.folder = tempfile.mkdtemp(prefix="tooljudge-")
        options = dict(self.options)
        try:
            if isinstance(tools, (list, tuple, dict)):
                options["tools"] = self._write("tools.json", text(tools), "the definitions given")
            if store is False:
                options["store"] = os.path.join(self.folder, "replies.sqlite")
                self.names[options["store"]] = "of this run"
            for at, one in enumerate(templates):
                if _is_text(one):
                    number = f" (number {at + 1})" if several else ""
                    templates[at] = self._write(f"template{at + 1 if at else ''}.jinja", one, f"given as text{number}")
        except BaseException as error:
            self.__exit__()
            if isinstance(error, UnicodeEncodeError):
                raise SettingsError("template or tools: a text is not Unicode") from error
            raise
        if any(one is not None for one in templates):
            options["template"] = templates if several else templates[0]
        self.named = _words.files(self.names)
        self.named.__enter__()
        return options

    def _write(self, name, text, words):
        """The path of a new file, which messages call by these words."""
        import os

        path = os.path.join(self.folder, name)
        self.names[path] = words
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def __exit__(self, kind=None, error=None, *_):
        if isinstance(error, KeyboardInterrupt) and self.options.get("store") is False:
            error.args = tuple(map(_words.without_promise, error.args))
        if self.named is not None:
            self.named.__exit__(None, None, None)
        if self.folder is not None:
            import shutil

            shutil.rmtree(self.folder, ignore_errors=True)


def _is_text(template):
    """Whether it is the template itself, and not its name or file."""
    import os

    return isinstance(template, str) and ("{" in template or "\n" in template) and not os.path.exists(template)
