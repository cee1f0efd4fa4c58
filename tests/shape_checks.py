"""The checker of annotated shapes, made for a function when it is first called."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from beartype import beartype


def checked_when_called(function: Callable[..., Any]) -> Callable[..., Any]:
    """Is `beartype(function)` from the first call on, for each of the two functions that jaxtyping makes of one.

    Beartype writes and compiles code for each function. Every process of pytest-xdist imports all of saccade and calls
    a part of it: what is not called is a quarter of the time that collecting would take.

    Jaxtyping has the arguments checked before a call, by a function that returns anything, and once more after it by
    another one, with what came back. The axes keep the sizes that arguments gave them: what came back is enough then.
    """
    checked: Callable[..., Any] | None = None

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        nonlocal checked
        if checked is None:
            annotations = function.__annotations__
            if annotations.get("return", Any) is not Any:
                function.__annotations__ = {"return": annotations["return"]}
            checked = beartype(function)
        return checked(*arguments, **named)

    return call
