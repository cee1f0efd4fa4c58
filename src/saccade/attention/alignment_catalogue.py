"""Every alignment function by the name that a configuration gives it."""

from collections.abc import Callable
from typing import Literal

from saccade.attention.alignment import Alignment, Diagonal, Hard, LocalMonotonic, LocalPredictive, Sigmoid, Soft
from saccade.attention.reinforced_alignment import Reinforced, ReinforcedSubset
from saccade.attention.sparse_alignment import Sparsemax, TopK

AlignmentName = Literal[
    "soft",
    "hard",
    "local-m",
    "local-p",
    "diagonal",
    "top-k",
    "sparsemax",
    "sigmoid",
    "reinforced",
    "reinforced-subset",
]


def alignment(name: AlignmentName, query_width: int, reach: int, top_k: int) -> Alignment:
    """The alignment of this name; `reach` is Luong's D, `top_k` how many keys a top-k alignment keeps."""
    makers: dict[str, Callable[[], Alignment]] = {
        "soft": Soft,
        "hard": Hard,
        "local-m": lambda: LocalMonotonic(reach),
        "local-p": lambda: LocalPredictive(query_width, reach),
        "diagonal": Diagonal,
        "top-k": lambda: TopK(top_k),
        "sparsemax": Sparsemax,
        "sigmoid": Sigmoid,
        "reinforced": Reinforced,
        "reinforced-subset": ReinforcedSubset,
    }
    return makers[name]()
