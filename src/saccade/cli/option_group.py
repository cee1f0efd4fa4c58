"""Options that several commands take together, declared once: the fields of a dataclass."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

Group = TypeVar("Group")
Own = ParamSpec("Own")


def with_options_of(
    group: type[Group],
) -> Callable[[Callable[Concatenate[Group, Own], None]], Callable[..., None]]:
    """A command that is given a `group` as its first argument, and takes the fields of that on the command line.

    Typer reads the signature of a command, so it is shown one with everything in it: what the group requires, the
    command's own parameters, the other fields. A parameter of the name of a field stands in for that, in its place.
    """

    def decorated(command: Callable[Concatenate[Group, Own], None]) -> Callable[..., None]:
        fields = inspect.signature(group).parameters
        own = dict(list(inspect.signature(command).parameters.items())[1:])

        @wraps(command)
        def called(**given: Any) -> None:
            together = group(**{name: given.pop(name) for name in fields if name not in own})
            cast("Callable[..., None]", command)(together, **given)

        required = [field for field in fields.values() if field.default is field.empty]
        alone = [parameter for name, parameter in own.items() if name not in fields]
        others = [own.get(name, field) for name, field in fields.items() if field not in required]
        shown = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*required, *alone, *others)]
        called.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in shown}
        return called

    return decorated
