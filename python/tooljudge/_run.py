"""A command of the command line, run in this process: what it says becomes warnings, log records and exceptions."""

import os
import sys
import warnings

from . import _native
from ._errors import KINDS, ToolJudgeWarning

_HERE = os.path.dirname(__file__) + os.sep
# Threads do not live on in a child process, and the work is done by threads that are started once.
_used = False
_forked = False


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


def run(command, options, inputs=(), tables=(), collect=False, stop=None, progress=None):
    """The texts that are its results, its table, and whether all gates were passed."""
    from ._options import words

    _remember()
    said = [command, *words(options), "--", *(["-"] if tables else inputs)]
    listener = Listener(progress)
    try:
        ended, message, table = _native.run(said, list(tables), collect, stop or _native.Stop(), listener)
    except KeyboardInterrupt as interrupt:
        if listener.last:
            raise KeyboardInterrupt(listener.last) from interrupt
        raise
    finally:
        listener.close()
    if ended not in ("done", "gate_failed"):
        raise KINDS[ended](message or listener.last or "interrupted")
    return listener.data, table, ended == "done"


class Listener:
    """Hears what a job says."""

    def __init__(self, progress):
        self.data = []
        self.last = ""
        self._bar = None
        self._shows = sys.stderr is not None and sys.stderr.isatty() if progress is None else bool(progress)

    def said(self, kind, text):
        if kind == "data":
            self.data.append(text)
        elif kind == "warning":
            warnings.warn(text, ToolJudgeWarning, stacklevel=_depth())
        else:
            import logging

            self.last = text
            logging.getLogger("tooljudge").info(text)

    def progress(self, name, done, rows):
        if self._shows:
            if self._bar is None or self._bar.name != name:
                self.close()
                self._bar = Bar(name, rows)
            self._bar.show(done)

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Bar:
    """A bar of tqdm where it is installed, otherwise a line of text."""

    def __init__(self, name, rows):
        self.name, self.rows = name, rows
        try:
            from tqdm.auto import tqdm

            self.tqdm = tqdm(desc=name, total=rows)
        except ImportError:
            self.tqdm = None

    def show(self, done):
        if self.tqdm is not None:
            self.tqdm.update(done - self.tqdm.n)
        else:
            of = "" if self.rows is None else f" of {self.rows}"
            print(f"\r{self.name}: {done}{of}", end="", file=sys.stderr, flush=True)

    def close(self):
        if self.tqdm is not None:
            self.tqdm.close()
        else:
            print(file=sys.stderr)


def _depth():
    """How far up the stack the user's own code is."""
    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, depth = frame.f_back, depth + 1
    return depth
