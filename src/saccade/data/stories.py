"""Stories made up on the spot, with questions whose answers take one, two or three facts.

They are in the manner of the first bAbI tasks (Weston et al. 2015). People go to places, one after another; each box is
taken by somebody; each thing is in a box. Every question asks for a place:

    1 fact     where is mary       mary went to the garden
    2 facts    where is the box    mary took the box; mary went to the garden
    3 facts    where is the apple  the apple is in the box; mary took the box; mary went to the garden

Somebody who moves twice is where the later sentence says, so the order of sentences counts. All else does not depend
on it, and a story has sentences that the question does not need.
"""

import random
from dataclasses import dataclass

PEOPLE = ("mary", "john", "sandra", "daniel")
PLACES = ("garden", "kitchen", "office", "hallway", "bathroom", "bedroom")
BOXES = ("box", "bag", "basket")
THINGS = ("apple", "ball", "book")
FACTS = (1, 2, 3)
WORDS = tuple(
    dict.fromkeys(("where", "is", "the", "went", "to", "took", "in", *PEOPLE, *PLACES, *BOXES, *THINGS)),
)
SENTENCES = 2 * len(PEOPLE) + len(BOXES) + len(THINGS)
"""The most that a story has."""


@dataclass(frozen=True)
class Story:
    """Sentences in the order in which things happened, a question and its answer, and the sentences it takes."""

    sentences: tuple[tuple[str, ...], ...]
    question: tuple[str, ...]
    answer: str
    needed: tuple[int, ...]


def story(facts: int, chance: random.Random) -> Story:
    """A story with a question that takes so many facts."""
    moves = [person for person in PEOPLE for _ in range(chance.choice((1, 2)))]
    holders = {box: chance.choice(PEOPLE) for box in BOXES}
    homes = {thing: chance.choice(BOXES) for thing in THINGS}
    events = [("moves", person) for person in moves]
    events += [("takes", box) for box in BOXES] + [("holds", thing) for thing in THINGS]
    chance.shuffle(events)
    told: dict[tuple[str, str], int] = {}
    where: dict[str, str] = {}
    sentences: list[tuple[str, ...]] = []
    for kind, what in events:
        if kind == "moves":
            where[what] = chance.choice([place for place in PLACES if place != where.get(what)])
            sentences.append((what, "went", "to", "the", where[what]))
        elif kind == "takes":
            sentences.append((holders[what], "took", "the", what))
        else:
            sentences.append(("the", what, "is", "in", "the", homes[what]))
        told[kind, what] = len(sentences) - 1  # of two moves the later one counts
    asked = chance.choice((PEOPLE, BOXES, THINGS)[facts - 1])
    needed = []
    what = asked
    if facts == 3:
        needed.append(told["holds", what])
        what = homes[what]
    if facts >= 2:
        needed.append(told["takes", what])
        what = holders[what]
    needed.append(told["moves", what])
    question = ("where", "is", asked) if facts == 1 else ("where", "is", "the", asked)
    return Story(tuple(sentences), question, where[what], tuple(needed))
