"""A29: documents of sentences, read word by word and sentence by sentence."""

from functools import partial

import torch
from torch import Generator, Tensor, nn

from saccade.attention.hierarchical import HierarchicalAttention
from saccade.attention.learned_query import LearnedQueryAttention
from saccade.claims.claim import Claim, Judgement, Measured, Verdict
from saccade.claims.measuring.comparison import clearly, verdict
from saccade.claims.measuring.variants import Task, VariantsOnTasks

SENTENCES, WORDS, CLASSES, FILLERS, WIDTH, HIDDEN = 5, 6, 5, 10, 16, 32
MARK = CLASSES + FILLERS
STEPS, ROWS, TEST = 600, 64, 1000


class Flat(nn.Module):
    """All words of a document as one row."""

    def __init__(self) -> None:
        super().__init__()
        self.words = LearnedQueryAttention(WIDTH, HIDDEN)

    def forward(self, words: Tensor, real: Tensor) -> Tensor:
        """The document."""
        return self.words(words.flatten(1, 2), real.flatten(1, 2))


class Reader(nn.Module):
    """Word vectors, one vector for the document, and a class for it."""

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.embedding = nn.Embedding(MARK + 1, WIDTH)
        self.attention = attention
        self.output = nn.Linear(WIDTH, CLASSES)

    def forward(self, words: Tensor) -> Tensor:
        """The scores of the classes."""
        real = torch.ones_like(words, dtype=torch.bool)
        scores: Tensor = self.output(self.attention(self.embedding(words), real))
        return scores


def documents(rows: int, generator: Generator, marked: bool) -> Task:
    """Every sentence has a word of some class, and that of the sentence with the mark is wanted.

    Where a word alone is enough, only one sentence has such a word, and none a mark.
    """
    words = torch.randint(CLASSES, MARK, (rows, SENTENCES, WORDS), generator=generator)
    classes = torch.randint(CLASSES, (rows, SENTENCES), generator=generator)
    places = torch.rand(rows, SENTENCES, WORDS, generator=generator).argsort(-1)[..., :2]
    chosen = torch.randint(SENTENCES, (rows,), generator=generator)
    each = torch.arange(rows)
    if marked:
        words.scatter_(2, places[..., :1], classes.unsqueeze(2))
        words[each, chosen, places[each, chosen, 1]] = MARK
    else:
        words[each, chosen, places[each, chosen, 0]] = classes[each, chosen]
    return (words,), classes[each, chosen]


EXPERIMENT = VariantsOnTasks(
    networks={"flat": lambda: Reader(Flat()), "hierarchical": lambda: Reader(HierarchicalAttention(WIDTH, HIDDEN))},
    tasks={"a marked sentence": partial(documents, marked=True), "a word alone": partial(documents, marked=False)},
    steps=STEPS,
    rows=ROWS,
    test=TEST,
    chance=1 / CLASSES,
)


def judge(measured: Measured) -> Judgement:
    """Hierarchical must be ahead where sentences matter, and need not be where they do not."""
    ahead = clearly(measured, "a marked sentence, hierarchical", over="a marked sentence, flat", by=0.1)
    no_worse = clearly(measured, "a word alone, hierarchical", over="a word alone, flat", by=-0.05)
    return Judgement(verdict([ahead], [no_worse]), EXPERIMENT.stated(measured))


CLAIM = Claim(
    id="A29",
    title="Words, sentences, documents",
    said="Yang et al. 2016",
    claim="Attention over words and then over sentences classifies documents better than attention over all words.",
    expected=Verdict.HOLDS,
    rule="Where the class is that of a word in the one sentence that has a mark, hierarchical attention gets at least "
    "10 points more right than attention over all words, by three standard errors of the mean over seeds; if it is "
    "more than 5 points worse where one word says the class wherever it stands, or the seeds do not say, there is "
    "a caveat.",
    cost="minutes",
    seeds=3,
    measure=EXPERIMENT.measure,
    judge=judge,
    plot=EXPERIMENT.plot,
)
