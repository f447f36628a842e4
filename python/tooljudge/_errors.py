"""The exceptions, by the error kinds of the command line."""


class ToolJudgeError(Exception):
    """A job that could not run, or ended before its time. The message says what to do."""


class SettingsError(ToolJudgeError, ValueError):
    """An option that cannot hold."""


class InputError(ToolJudgeError, ValueError):
    """Rows that cannot be read: a missing column, a type without JSON, a file that is not there."""


class JudgeError(ToolJudgeError, RuntimeError):
    """A judge that cannot be asked: no key, a wrong model, a server that is not there. Replies that came are kept."""


class StoreError(ToolJudgeError, RuntimeError):
    """The store of replies cannot be used."""


class OutputError(ToolJudgeError, OSError):
    """A file that cannot be written."""


class Interrupted(ToolJudgeError):
    """Another thread stopped the job. Replies that came are kept."""


class ToolJudgeWarning(UserWarning):
    """Something about the rows or the judge that needs attention."""


KINDS = {
    "settings": SettingsError,
    "input": InputError,
    "judge": JudgeError,
    "store": StoreError,
    "output": OutputError,
    "interrupted": Interrupted,
    "other": ToolJudgeError,
}
