"""A replacement of `typing.TypedDict`, whose import takes longer than the rest of the package."""


class TypedDict:
    """Remembers the names of its options, and those of the class that it extends."""

    names: dict[str, str] = {}

    def __init_subclass__(cls, total):
        cls.names = {**cls.names, **cls.__annotations__}
