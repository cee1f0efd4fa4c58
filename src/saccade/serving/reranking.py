"""N-best lists ranked again with the help of other models.

    s(Y) = (1 - w) log P(Y | X) / lp(Y)  +  w mean over the other models k of  log P_k(Y | X) / lp_k(Y)

The first is the score of the search. The others only score whole texts, so any model will do: one with other pieces
(lp_k counts its own tokens, with the alpha of the search), one that writes from right to left, or a language model,
which sees no source. Cho et al. 2014 add such a score as a feature of a phrase-based system; Sutskever et al. 2014,
section 3.2, take the even average of a system's score and theirs, which is the default weight.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Protocol, runtime_checkable

from saccade.data.tasks import find_task
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError, LineError
from saccade.serving.translation import Candidate, OnError, RerankScores, Scored


@runtime_checkable
class ScoringModel(Protocol):
    """What is asked of another model; a Translator has it."""

    name: str

    @property
    def task(self) -> str:
        """What it was trained for."""
        ...

    @property
    def digest(self) -> str:
        """A checksum of the model."""
        ...

    def stream_scores(
        self, pairs: Sequence[tuple[str, str]], *, truncate: bool, on_error: OnError, stable: bool
    ) -> Iterator[Scored]:
        """How probable it finds each target given its source."""
        ...


@dataclass(frozen=True)
class Reranker:
    """Other models, and the weight w of their scores, from 0 (the search alone) to 1 (they alone).

    The models of `right_to_left` were trained on targets whose words stand in reverse order.
    """

    others: Sequence[ScoringModel] = ()
    right_to_left: Sequence[ScoringModel] = ()
    weight: float = 0.5

    def __post_init__(self) -> None:
        if not self.models:
            raise ConfigError("`rerank` must name at least one other model, but names none. Name one.")
        if not 0 <= self.weight <= 1:
            raise ConfigError(
                f"the weight of reranking must be from 0 to 1, but is {self.weight}. Use 0.5 for the even average."
            )

    @property
    def models(self) -> tuple[ScoringModel, ...]:
        """All of them, in the order of their scores."""
        return (*self.others, *self.right_to_left)

    @property
    def settings(self) -> dict[str, object]:
        """What an output depends on, in a form that can be written down."""
        backwards = [model.digest for model in self.right_to_left]
        return {"models": [model.digest for model in self.others], "right_to_left": backwards, "weight": self.weight}

    def check_sources(self, has_sources: bool) -> None:
        """Refuses models that need a source where a language model has none."""
        for model in self.models:
            if not has_sources and find_task(model.task).has_sources:
                raise ConfigError(
                    f"`rerank` must name language models where one continues a text, but {model.name!r} does "
                    f"{model.task}. Leave it out."
                )

    def rescore(
        self, lists: Sequence[tuple[str, Sequence[Candidate]]], search: BeamConfig, *, truncate: bool, stable: bool
    ) -> list[list[Candidate] | LineError]:
        """The candidates of each source, best first by the combined score; or why a list cannot be scored."""
        pairs = [(source, candidate.text) for source, candidates in lists for candidate in candidates]
        columns: list[list[Scored]] = []
        for place, model in enumerate(self.models):
            reads, backwards = find_task(model.task).has_sources, place >= len(self.others)
            asked = [(source if reads else "", _turned(text) if backwards else text) for source, text in pairs]
            columns.append(list(model.stream_scores(asked, truncate=truncate, on_error="skip", stable=stable)))
        rows = iter(zip(*columns, strict=True))
        return [self._ranked([(candidate, next(rows)) for candidate in candidates], search) for _, candidates in lists]

    def _ranked(
        self, rescored: Sequence[tuple[Candidate, tuple[Scored, ...]]], search: BeamConfig
    ) -> list[Candidate] | LineError:
        candidates = []
        for candidate, row in rescored:
            for model, scored in zip(self.models, row, strict=True):
                if scored.error is not None:
                    return LineError(
                        f"must be short enough for every model of `rerank`, but {model.name!r} cannot read all of it. "
                        "Split it, ask to truncate it (--truncate), or leave that model out.",
                        "too long",
                        candidate.text,
                    )
            others = tuple(scored.log_probability / search.penalty(scored.tokens) for scored in row)
            scores = RerankScores(candidate.score, others)
            candidates.append(replace(candidate, score=combined(scores, self.weight), reranked=scores))
        return sorted(candidates, key=lambda candidate: -candidate.score)  # stable: of equals, the search's first


def combined(scores: RerankScores, weight: float) -> float:
    """The weighted mean of the search's score and the mean of the others."""
    if weight == 0:
        return scores.search  # exactly, and even where another model finds an output impossible
    return (1 - weight) * scores.search + weight * fmean(scores.others)


def _turned(text: str) -> str:
    return " ".join(reversed(text.split()))
