"""A job in a new process, for one that was forked: threads of the parent, which would do the work, do not live on there."""

import pickle
import subprocess
import sys
import warnings

from ._errors import SettingsError, ToolJudgeError, ToolJudgeWarning


def call(job, data, options):
    """What `job` gives or raises; its warnings are given here."""
    program = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer);from tooljudge._spawned import serve; serve()"
    path = pickle.dumps(sys.path)
    if _has_function(options.get("judge")) or _has_function(options.get("judges")):
        raise SettingsError("a judge that is a function cannot work in a forked process: start processes with `spawn`")
    if isinstance(data, tuple):
        data = tuple(_portable(one) for one in data)
    sent = path + pickle.dumps((job, _portable(data), options))
    ran = subprocess.run([sys.executable, "-c", program], input=sent, stdout=subprocess.PIPE)
    if not ran.stdout:
        raise ToolJudgeError(f"the process that should do the work ended with {ran.returncode}")
    raised, made, said = pickle.loads(ran.stdout)
    for text in said:
        warnings.warn(text, ToolJudgeWarning, stacklevel=4)
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
            made = getattr(tooljudge, job)(*(data if job == "compare" else (data,)), **options)
        except (Exception, KeyboardInterrupt) as error:
            raised = error
    said = [str(one.message) for one in caught]
    sys.stdout.buffer.write(pickle.dumps((raised, made, said)))


def _has_function(judges):
    return any(
        callable(judge) or hasattr(judge, "function") for judge in (judges if isinstance(judges, (list, tuple)) else [judges])
    )


def _portable(data):
    """The data, read into memory if it is a stream."""
    if hasattr(data, "__arrow_c_stream__") and type(data).__module__.split(".")[0] not in ("pandas", "polars"):
        import pyarrow

        return pyarrow.table(data)
    return data
