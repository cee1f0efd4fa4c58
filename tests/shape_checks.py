"""The checker of annotated shapes, made for a function when it is first called, and how often it is asked.

Checking every call would be three quarters of what the tests compute: a search calls a function thousands of times,
with the same shapes. So of each function and in each test the first calls are checked, and then some of the others.
"""

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType
from typing import Any

import jaxtyping
from beartype import beartype

ALWAYS, ONE_OF = 10, 50
"""Of each function and in each test, so many calls are checked from the first on, and then one of so many."""

_jaxtyped = jaxtyping.jaxtyped
_test = 0


def check_some_calls() -> None:
    """Has jaxtyping check some of the calls where its import hook wrote `@jaxtyping.jaxtyped(...)` at a function."""
    jaxtyping.jaxtyped = _some_calls_checked


def begin_test() -> None:
    """From here on calls are counted anew."""
    global _test
    _test += 1


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


def _some_calls_checked(what: Any = None, *, typechecker: Any) -> Any:
    """Like `jaxtyping.jaxtyped`; classes and properties are checked at every call."""
    if what is None:
        return partial(_some_calls_checked, typechecker=typechecker)
    checked = _jaxtyped(what, typechecker=typechecker)
    if not isinstance(what, FunctionType):
        return checked
    calls, test = 0, 0

    @wraps(what)
    def call(*arguments: Any, **named: Any) -> Any:
        nonlocal calls, test
        if jaxtyping.config.jaxtyping_disable:
            return what(*arguments, **named)
        if test != _test:
            calls, test = 0, _test
        calls += 1
        if calls > ALWAYS and calls % ONE_OF:
            return what(*arguments, **named)
        return checked(*arguments, **named)

    return call
