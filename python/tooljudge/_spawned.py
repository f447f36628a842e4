"""Runs a job of a forked process in a new process, because the parent's threads, which would do the work, do not exist in a fork."""

import pickle
import subprocess
import sys
import warnings

from ._errors import SettingsError, ToolJudgeError
from ._run import warn


def call(job, data, options):
    """What `job` gives or raises; its warnings are given here."""
    if any(_has_function(options.get(name)) for name in ("judge", "judges", "agent", "agents", "grade", "functions", "params", "set")):
        raise SettingsError("a judge, an agent or a check that is a function cannot work in a forked process: start processes with `spawn`")
    program = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from tooljudge._spawned import serve; serve()"
    sent = pickle.dumps(sys.path) + pickle.dumps((job, [_portable(one) for one in data], options))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            made = child.communicate(sent)[0]
        except KeyboardInterrupt:
            # It was told to stop as well, and says what came of it once the requests in flight are answered.
            made = child.communicate()[0]
    if not made:
        raise ToolJudgeError(f"the process that should do the work ended with {child.returncode}")
    raised, made, said = pickle.loads(made)
    for text in said:
        warn(text)
    if raised is not None:
        raise raised
    return made


def serve():
    """Does the job that the standard input names, and writes what came of it to the standard output."""
    import tooljudge

    job, data, options = pickle.load(sys.stdin.buffer)
    raised = made = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = getattr(tooljudge, job)(*data, **options)
        except (Exception, KeyboardInterrupt) as error:
            raised = error
    said = [str(one.message) for one in caught]
    try:
        sent = pickle.dumps((raised, made, said))
    except Exception as error:
        sent = pickle.dumps((ToolJudgeError(f"what the job gave cannot be passed on: {error}"), None, said))
    sys.stdout.buffer.write(sent)


def _has_function(judges):
    judges = list(judges.values()) if isinstance(judges, dict) else judges
    several = judges if isinstance(judges, (list, tuple)) else [judges]
    return any(callable(judge) or getattr(judge, "function", None) is not None for judge in several)


def _portable(data):
    """The data, read into memory if it is a stream."""
    can_be_sent = type(data).__module__.split(".")[0] in ("pandas", "polars", "datasets")
    if hasattr(data, "__arrow_c_stream__") and not can_be_sent:
        import pyarrow

        return pyarrow.table(data)
    return data
