"""A uniform sample of items that come one by one, however many there are (reservoir sampling, Vitter 1985)."""

import random
from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def reservoir(items: Iterable[Item], size: int, generator: random.Random) -> list[Item]:
    """A uniform sample without knowing how many there are; all of them, in order, if they are few enough."""
    remaining = iter(items)
    sample = list(islice(remaining, size))
    for number, item in enumerate(remaining, start=size + 1):
        place = int(generator.random() * number)
        if place < size:
            sample[place] = item
    return sample
