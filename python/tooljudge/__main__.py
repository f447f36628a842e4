"""The command line: `tooljudge`, or `python -m tooljudge`."""

import signal
import sys


def main() -> None:
    """Runs the program that the words on the command line name, and exits as it does."""
    # Signals are the program's own matter.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from . import _native

    sys.exit(_native.main(["tooljudge", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
