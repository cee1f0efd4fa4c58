"""Pictures, sounds and a time series that somebody measured, as lines of text.

handwritten_digits   14 by 14 grey levels from 0 to 9, row by row; the label is the digit
spoken_vowels        moments of twelve numbers, joined by commas; the label is the speaker
heartbeats           96 values of an electrocardiogram and the 12 that follow, in levels from 0 to 63
"""

from collections.abc import Sequence

from saccade.data.splits import Pair, SplitPairs, bucket, lines_of

SIDE, LEVELS = 14, 10
CHANNELS = 12
PAST, FUTURE, HEIGHTS, EVERY = 96, 12, 64, 6


def handwritten_digits(texts: Sequence[str]) -> SplitPairs:
    """Of 28 by 28 points, four become one. A tenth is test, a tenth valid, by a hash of the picture."""
    (text,) = texts
    portions: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    for line in lines_of(text):
        *points, label = map(int, line.split(","))
        side = 2 * SIDE
        sums = [
            sum(points[(2 * row + down) * side + 2 * column + right] for down in (0, 1) for right in (0, 1))
            for row in range(SIDE)
            for column in range(SIDE)
        ]
        picture = " ".join(str(total * LEVELS // (4 * 256)) for total in sums)
        portions[_portion(picture)].append((picture, str(label)))
    return SplitPairs({split: sorted(pairs) for split, pairs in portions.items()})


def spoken_vowels(texts: Sequence[str]) -> SplitPairs:
    """Channels separated by colons, the speaker last, become moments. A quarter is test, a tenth valid."""
    (text,) = texts
    portions: dict[str, list[Pair]] = {"train": [], "valid": [], "test": []}
    for line in lines_of(text):
        if not line or line[0] in "#@":
            continue
        *channels, speaker = line.split(":")
        moments = zip(*([f"{float(value):.3f}" for value in channel.split(",")] for channel in channels), strict=True)
        sound = " ".join(map(",".join, moments))
        number = bucket(sound)
        portions["test" if number < 250 else "valid" if number < 350 else "train"].append((sound, speaker))
    return SplitPairs(portions)


def heartbeats(texts: Sequence[str]) -> SplitPairs:
    """The mean of every six values, in 64 equal steps from the smallest to the largest; windows begin at every value.

    The line that a heart beats around wanders, so values are counted from the last one that is known, which is 64.
    Seven parts in ten of the time are train, what follows is half valid and half test; no window crosses between them.
    """
    (text,) = texts
    values = [float(line.split(",")[0]) for line in lines_of(text)[1:]]
    means = [sum(values[at : at + EVERY]) / EVERY for at in range(0, len(values) - EVERY + 1, EVERY)]
    low, high = min(means), max(means)
    levels = [min(int((mean - low) / (high - low) * HEIGHTS), HEIGHTS - 1) for mean in means]
    bounds = {"train": (0, 0.7), "valid": (0.7, 0.85), "test": (0.85, 1.0)}
    return SplitPairs(
        {
            split: _windows(levels[int(begin * len(levels)) : int(end * len(levels))])
            for split, (begin, end) in bounds.items()
        }
    )


def _windows(levels: Sequence[int]) -> list[Pair]:
    windows = [levels[at : at + PAST + FUTURE] for at in range(len(levels) - PAST - FUTURE + 1)]
    steps = [[level - one[PAST - 1] + HEIGHTS for level in one] for one in windows]
    return [(" ".join(map(str, one[:PAST])), " ".join(map(str, one[PAST:]))) for one in steps]


def _portion(text: str) -> str:
    number = bucket(text)
    return "test" if number < 100 else "valid" if number < 200 else "train"
