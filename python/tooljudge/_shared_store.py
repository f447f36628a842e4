"""The store that all workers of a job share: a database, or a file if all of them are on one machine."""

from __future__ import annotations

import os
import re
import uuid

from ._errors import SettingsError, StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEFAULT = os.path.join(".tooljudge", "replies.sqlite")
_ADDRESS = re.compile(r"\s*[A-Za-z]+:?//|[^/]*:[^/]*@")
_DATABASES = ("postgres://", "postgresql://")
_REMEDY = "give a database that all of them reach, as store='postgres://USER@HOST/NAME'"


class Store:
    """Where the replies are. Of a file, also on which machine and in which folder, as the process knows it that made this."""

    def __init__(self, given: Any) -> None:
        if given is False:
            raise SettingsError(
                "store=False keeps no replies, and workers of a cluster do some of their work twice, which a model is then paid for twice: "
                "leave store out where all workers are on this machine, or give store='postgres://USER@HOST/NAME'"
            )
        self.name = str(os.fspath(given or _DEFAULT))
        self._place: tuple[str, int, int] | None = None
        if not self.name.startswith(_DATABASES) and _ADDRESS.match(self.name):
            # What looks like an address may hold a password, and makes no folder of that name.
            raise SettingsError("store looks like an address, but does not begin with postgres:// or postgresql://")
        if not self.name.startswith(_DATABASES):
            self.name = os.path.abspath(self.name)
            folder = os.path.dirname(self.name)
            try:
                os.makedirs(folder, exist_ok=True)
            except OSError as error:
                raise StoreError(f"the store {self.name} cannot be made: {error.strerror}") from error
            self._place = _place(folder)

    def is_file(self) -> bool:
        return self._place is not None

    def needs(self, machines: int) -> None:
        """Raises if the store is a file, and the workers are on more machines than this one."""
        if self.is_file() and machines > 1:
            raise StoreError(
                f"the workers are on {machines} machines, and the store {self.name} is a file on one of them: {_REMEDY}"
            )

    def check(self) -> None:
        """Raises if the store is a file, and this worker does not see the folder that the first process saw."""
        if self.is_file() and _place(os.path.dirname(self.name)) != self._place:
            raise StoreError(f"the store {self.name} is a file that not all workers share: {_REMEDY}")


def _place(folder: str) -> tuple[str, int, int] | None:
    """Which folder of which running system it is: paths look alike on all machines, and on a file system of a network so do folders."""
    try:
        found = os.stat(folder)
    except OSError:
        return None
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            machine = file.read().strip()
    except OSError:
        machine = f"{uuid.getnode():x}"
    return machine, found.st_dev, found.st_ino
