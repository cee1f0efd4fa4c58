"""Further files mixed into the training text: old data beside new, back-translations beside translations.

With a share, m of their M usable pairs are wanted for each epoch. Pair i is then written

    floor((i + 1) m / M) - floor(i m / M)

times: m in all, taken evenly from the whole of the files, which are often sorted; none is drawn at random.
"""

import json
from collections.abc import Iterator, Sequence

from saccade.data.corpus_report import CorpusReport
from saccade.data.parallel_text import Limits, PairFiles, numbered_pairs
from saccade.data.tokenizer import Tokenizer
from saccade.errors import ConfigError
from saccade.json_files import read_json

BEYOND_SHARE = "more than the share asks for"
MADE, MADE_FORMAT = "made.json", 1
"""What stands beside text that a model wrote (saccade.improving), and says how it was made."""


def mixed_pairs(
    files: Sequence[PairFiles], report: CorpusReport, limits: Limits
) -> Iterator[tuple[PairFiles, tuple[int, str, str]]]:
    """Every usable pair of all files in their order, with the files it stands in and its line number."""
    for one in files:
        for pair in numbered_pairs(one, report, limits):
            yield one, pair


def wanted_pairs(own: int, available: int, share: float | None) -> int:
    """How many pairs make up this share beside `own` others; without a share, all that there are."""
    return available if share is None else round(own * share / (1 - share))


def copies(number: int, available: int, wanted: int) -> int:
    """How often pair `number` of the `available` ones, counted from 0, is written so that `wanted` are."""
    return (number + 1) * wanted // available - number * wanted // available


def check_tags(files: Sequence[PairFiles], tokenizer: Tokenizer, given: bool) -> None:
    """Refuses machine-made sources whose tag is no symbol of the vocabulary: cut into letters it would teach little."""
    for one in files:
        made = one.source.with_name(MADE)
        tag = read_json(made, MADE_FORMAT).get("tag") if made.is_file() else None
        if isinstance(tag, str) and not tokenizer.has_symbol(tag):
            advice = (
                "The vocabulary is that of the model it begins from: make the sources again without a tag."
                if given
                else f"Add --set 'data.symbols=[{json.dumps(tag)}]'."
            )
            raise ConfigError(f"`{one.source}` has the tag {tag}, which must be a symbol, but is none. {advice}")
