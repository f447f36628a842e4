"""Stands in for `typing.TypedDict`, whose import takes longer than all the rest of the package."""


class TypedDict:
    """Remembers the names of its options."""

    def __init_subclass__(cls, total):
        cls.names = dict(cls.__annotations__)
