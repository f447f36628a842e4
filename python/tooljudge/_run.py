"""Runs a command of the command line in this process: its messages become warnings, log records and exceptions."""

import contextvars
import os
import re
import sys
import warnings
from collections.abc import Mapping

from . import _native
from ._errors import KINDS, SettingsError, ToolJudgeWarning
from ._functions import collected
from ._judge import Judge, price_of
from ._words import in_python, without_promise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = os.path.dirname(__file__) + os.sep
# Threads do not live on in a child process, and the work is done by threads that are started once.
_used = False
_forked = False
# Who hears the warnings of jobs of this context, where they are not to be given as such.
HEARS_WARNINGS: "contextvars.ContextVar[Callable[[str], None] | None]" = contextvars.ContextVar("tooljudge_hears_warnings", default=None)


def is_orphaned():
    """Whether this process was forked from one that had done work: no job can run in it."""
    return _forked


def _remember():
    global _used
    if not _used:
        _used = True
        os.register_at_fork(after_in_child=_note_fork)


def _note_fork():
    global _forked
    _forked = True


def run(command, options, inputs=(), tables=(), collect=False, stop=None, progress=None, named=False):
    """The texts that are its results, its table, and whether all gates were passed. The inputs are `named` where they tell which of them
    is a table in memory; otherwise the tables are all there is."""
    import logging

    from ._options import plain

    _remember()
    options, functions = collected(options)
    options, agents = _agents(options)
    options, own = _judges(options)
    judges = [judge for judge in own if judge.function]
    asked = options.get("judge")
    # Replies of models are kept, whatever is beside them.
    are_all = len(judges) == (len(asked) if isinstance(asked, (list, tuple)) else 1)
    if command == "resnap" and any(judge.version is None for judge in judges):
        raise SettingsError(
            "answers of a function are kept under its version: tj.Judge(function, version=...), as when it was asked"
        )
    options, variables = _key(options)
    settings = _settings(options, [judge for judge in own if judge.model], variables)
    inputs = ["-"] if tables and not named else [os.fspath(one) for one in inputs]
    log = logging.getLogger("tooljudge")
    verbose = 2 if log.isEnabledFor(logging.DEBUG) else int(log.isEnabledFor(logging.INFO))
    stop = stop or _native.Stop()
    listener = Listener(log, verbose, progress, judges, settings, variables, agents, functions, stop)
    try:
        ended, message, table = _native.run((command, plain(options), inputs), list(tables), collect, stop, listener)
    except KeyboardInterrupt as interrupt:
        if listener.last:
            raise KeyboardInterrupt(_stopped(listener.last, judges if are_all else [])) from interrupt
        raise
    finally:
        listener.close()
    if listener.interrupted:
        raise KeyboardInterrupt(listener.last)
    if ended == "interrupted" and table is not None:
        # There is a table only where that was asked for, here or in a settings file.
        warn(f"stopped: {_stopped(listener.last, judges if are_all else [])}")
    elif ended not in ("done", "gate_failed"):
        message = in_python(message) or listener.last or "interrupted"
        if message.endswith("listed above") and listener.data:
            message = f"{message.removesuffix(' are listed above')}: {' '.join(listener.data[-1].split())}"
        raise KINDS[ended](message)
    return listener.data, table, ended == "done"


def log_outcome(command, record):
    """Says at the level INFO what a run did and what it cost."""
    import logging

    log = logging.getLogger("tooljudge")
    if log.isEnabledFor(logging.INFO):
        from . import _outcome

        for line in _outcome.lines(command, record):
            log.info("%s", line)


def _agents(options):
    """The options with the names of agents that are functions in their places, and these agents."""
    given = options.get("agent")
    several = list(given) if isinstance(given, (list, tuple)) else [given]
    agents = []
    for at, one in enumerate(several):
        if isinstance(one, Judge) and one.function:
            raise SettingsError(
                f"agent: the function {one.name} answers prompts and takes no part in dialogues; give an agent's own function, which takes "
                "`question` and `tools`, or a model, such as 'openai:gpt-5-mini' or tj.Judge('openai:gpt-5-mini', ...)"
            )
        if one is None or isinstance(one, (str, Judge)):
            continue
        from ._agent import Agent

        if not (callable(one) or isinstance(one, Agent)):
            continue
        agent = one if isinstance(one, Agent) else Agent(one)
        if any(other.name == agent.name for other in agents):
            raise SettingsError(f"two agents are named `{agent.name}`: name them with agents={{'...': {agent.name}, ...}}")
        agents.append(agent)
        several[at] = agent.name
    if not agents:
        return options, []
    return {**options, "agent": several if isinstance(given, (list, tuple)) else several[0]}, agents


def _judges(options):
    """The options with the names of judges of one's own in their places, and these judges."""
    own = []

    def name(judge):
        if isinstance(judge, str) or not (isinstance(judge, Judge) or callable(judge)):
            return judge
        judge = judge if isinstance(judge, Judge) else Judge(judge)
        if judge in own:
            return judge.name
        if any(other.name == judge.name for other in own):
            raise SettingsError(f"two judges are named `{judge.name}`: name them with tj.Judge(..., name=...)")
        own.append(judge)
        return judge.name

    named = {}
    for option in _ASKED & options.keys():
        given = options[option]
        named[option] = [name(judge) for judge in given] if isinstance(given, (list, tuple)) else name(given)
    return ({**options, **named}, own) if own else (options, [])


# Options that name whom to ask.
_ASKED = {"judge", "agent", "grade"}
# By its name the job looks for a key that was given: options may be shown, variables are not.
_KEY = "TOOLJUDGE_API_KEY"


def _key(options):
    """The options without the key, and the variables that hold it."""
    options = dict(options)
    key = options.pop("api_key", None)
    if key is None:
        return options, {}
    if options.get("api_key_env") is not None:
        raise SettingsError("give api_key or api_key_env, not both")
    if not isinstance(key, str):
        raise SettingsError(f"api_key: {type(key).__name__} is no text")
    if not key.strip():
        raise SettingsError("api_key: the key is empty")
    return {**options, "api_key_env": _KEY}, {_KEY: key}


def _settings(options, models, variables):
    """Judges and prices as tables of a settings file; keys go into `variables`."""
    from ._options import setting

    judges = {}
    for at, judge in enumerate(models):
        variable = f"{_KEY}_{at + 1}"
        judges[judge.name] = judge.entry(variable)
        if judge.api_key is not None:
            variables[variable] = judge.api_key
    given = options.pop("prices", None) or {}
    if not isinstance(given, Mapping):
        raise SettingsError("prices: give a dict, such as {'openai:gpt-5-mini': (0.25, 2.0)}")
    for name in given:
        if ":" not in str(name):
            raise SettingsError(f"prices: {name!r} is not PROVIDER:MODEL; the price of a judge of one's own is tj.Judge(..., price=...)")
    prices = {name: price_of(setting("prices", price)) for name, price in given.items()}
    return {"judges": judges, "prices": prices}


def _stopped(said, functions):
    """What was said of a run that was stopped: replies of functions are kept under their version only."""
    return without_promise(said) if any(judge.version is None for judge in functions) else said


class Listener:
    """Hears what a job says, and answers for judges and agents that are functions."""

    def __init__(self, log, verbose, progress, judges, settings, variables, agents, functions, stop):
        self.agents, self.interrupted = [agent.name for agent in agents], False
        self.functions = [function.identity() for function in functions]
        self._agents, self._functions, self._stop = agents, functions, stop
        self.data = []
        self.last = ""
        self.verbose, self.judges = verbose, [judge.identity() for judge in judges]
        self.settings, self.variables = settings, variables
        self._patience = Patience()
        self._log, self._judges = log, judges
        self._shows = _is_watched() if progress is None else bool(progress)
        self._bar = None

    def said(self, kind, text):
        text = text if kind == "data" else in_python(text.strip())
        if kind == "data":
            self.data.append(text)
        elif kind == "warning":
            warn(text)
        elif kind == "detail":
            self._log.debug(text)
        else:
            if kind == "talk":
                self.last = text
                _tell_left_out(text)
            self._log.info(text)

    def judge(self, at, prompts):
        with self._patience:
            return self._judges[at].answers(prompts)

    def settle(self):
        """Raises the interrupt that came while a judge was asked."""
        self._patience.settle()

    def drive(self, at, conversation):
        """Begins an episode with an agent."""
        self._agents[at].begin(conversation, self._interrupt)

    def check(self, at, values):
        """What a function says of values."""
        try:
            return self._functions[at].says(values)
        except KeyboardInterrupt:
            # Even where the run has come to its end meanwhile.
            self.interrupted = True
            raise

    def _interrupt(self):
        """Stops the run, as Ctrl-C does, for an agent that says so."""
        self.interrupted = True
        self._stop.stop()

    def progress(self, name, done, rows):
        if self._shows:
            from ._progress import Bar

            if self._bar is None or self._bar.name != name:
                self.close()
                self._bar = Bar(name, rows)
            self._bar.show(done)

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Patience:
    """While a function judges, the first Ctrl-C waits for its answers, as for those of any judge; the second does not."""

    def __init__(self):
        self._usual = None
        self._waiting = None

    def __enter__(self):
        import signal
        import threading

        usual = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(usual) and not isinstance(usual, signal.Handlers):
            self._usual = usual
            signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *_):
        if self._usual is not None:
            import signal

            signal.signal(signal.SIGINT, self._usual)
            self._usual = None

    def _interrupt(self, number, frame):
        if self._waiting is not None:
            self._usual(number, frame)
        self._waiting = self._usual

    def settle(self):
        """Does what the interrupt does that has waited, which is to raise `KeyboardInterrupt` as a rule."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            import signal

            waiting(signal.SIGINT, None)


def _is_watched():
    """Whether somebody sees a bar: in a terminal, or in a notebook."""
    in_notebook = "ipykernel" in sys.modules
    return in_notebook or (sys.stderr is not None and sys.stderr.isatty())


# Settings files that were said to leave out rows, and what they said.
_told: "set[tuple[object, ...]]" = set()
_SETS = re.compile(r"settings: (?P<file>.*) sets (?P<flags>.*)")
_LEAVES_OUT = re.compile(r"`(limit|sample|where)`( \(line \d+\))?")


def _tell_left_out(text):
    """Warns, once, of a settings file by which a result has fewer rows than the data: nobody sees that in the call."""
    found = _SETS.fullmatch(text)
    named = _LEAVES_OUT.findall(found["flags"]) if found else []
    key = (os.path.abspath(found["file"]), *named) if named else None
    if key is None or key in _told:
        return
    _told.add(key)
    settings = " and ".join(f"`{name}`{line}" for name, line in named)
    warn(f"{found['file']}: {settings}: the result has these rows only; {', '.join(f'{name}=False' for name, _ in named)} takes all")


def warn(text):
    hears = HEARS_WARNINGS.get()
    if hears is None:
        warnings.warn(text, ToolJudgeWarning, stacklevel=_depth())
    else:
        hears(text)


def _depth():
    """How far up the stack the user's own code is."""
    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, depth = frame.f_back, depth + 1
    return depth
