"""A progress bar: an element of the page in a notebook, tqdm in a terminal if it is installed, otherwise a line of text."""

import sys
import time

# A pass that is over sooner needs no bar.
_SHORT = 0.3


class Bar:
    """The progress of one pass over the rows."""

    def __init__(self, name, rows):
        self.name, self.rows = name, rows
        self._began, self._shown, self._done = time.monotonic(), None, None

    def show(self, done):
        if self._shown is None and time.monotonic() - self._began > _SHORT:
            self._shown = _page(self.name, self.rows) or _tqdm(self.name, self.rows) or _Line(self.name, self.rows)
        # What shows already is not told again.
        if self._shown is not None and done != self._done:
            self._done = done
            self._shown.show(done)

    def close(self):
        if self._shown is not None:
            self._shown.close()


def _page(name, rows):
    if "ipykernel" not in sys.modules:
        return None
    from IPython import get_ipython

    return _Page(name, rows) if hasattr(get_ipython(), "kernel") else None


def _tqdm(name, rows):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Tqdm(tqdm(desc=name, total=rows, leave=False))


class _Page:
    """In a notebook. It leaves nothing behind, as HTML or as text."""

    def __init__(self, name, rows):
        from IPython.display import display

        self._name, self._rows = name, rows
        self._handle = display(_both(""), raw=True, display_id=True)

    def show(self, done):
        whole = "" if self._rows is None else f" max='{self._rows}' value='{done}'"
        count = _count(done, self._rows)
        page = f"{self._name} <progress{whole}></progress> {count}"
        self._handle.update(_both(page, f"{self._name}: {count}"), raw=True)

    def close(self):
        self._handle.update(_both(""), raw=True)


def _both(page, text=""):
    return {"text/html": page, "text/plain": text}


class _Tqdm:
    def __init__(self, bar):
        self._bar = bar

    def show(self, done):
        self._bar.update(done - self._bar.n)

    def close(self):
        self._bar.close()


class _Line:
    def __init__(self, name, rows):
        self._name, self._rows = name, rows

    def show(self, done):
        print(f"\r{self._name}: {_count(done, self._rows)}", end="", file=sys.stderr, flush=True)

    def close(self):
        print(file=sys.stderr)


def _count(done, rows):
    return f"{done}" if rows is None else f"{done} of {rows}"
