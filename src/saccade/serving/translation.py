"""What a translator answers: translations with their candidates, documents, and scores of given pairs."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from saccade.errors import LineError
from saccade.quality.faults import Fault
from saccade.serving.confidence import Confidence
from saccade.serving.stable_scores import rounded
from saccade.serving.word_alignment import WordAlignment

OnError = Literal["stop", "skip", "copy"]
"""What becomes of a line that cannot be translated: an error, an empty translation, or the line itself."""


@dataclass(frozen=True)
class RerankScores:
    """What a combined score was made of: the score of the search, and that of every other model."""

    search: float
    others: tuple[float, ...]


@dataclass(frozen=True)
class Candidate:
    """One translation of a line; `score` ranks them, and `log_probability` is what the model gives to all its tokens.

    `token_log_probabilities` is None where the engine does not tell them. `reranked` is there where other models took
    part in the ranking, `confidence` where scores were asked for and the model is calibrated. `engine` is what
    searched: it names several if sentences of one text were searched by several, and is None if nothing was searched.
    """

    text: str
    score: float
    log_probability: float
    token_log_probabilities: tuple[float, ...] | None
    finished: bool
    alignment: WordAlignment | None
    reranked: RerankScores | None = None
    confidence: Confidence | None = None
    engine: str | None = None

    def __repr__(self) -> str:
        return f"Candidate({self.text!r}, score={self.score:.3f})"

    def to_json(self) -> dict[str, Any]:
        """As a JSON object; what was not asked for or is not known is left out.

        Numbers are rounded to the digits that depend on the line alone.
        """
        values: dict[str, Any] = {
            "text": self.text,
            "score": rounded(self.score),
            "log_probability": rounded(self.log_probability),
        }
        if self.reranked is not None:
            values["search_score"] = rounded(self.reranked.search)
            values["rerank_scores"] = [rounded(value) for value in self.reranked.others]
        if self.token_log_probabilities is not None:
            values["token_log_probabilities"] = [rounded(value) for value in self.token_log_probabilities]
        if self.confidence is not None:
            values |= self.confidence.to_json()
        values["finished"] = self.finished
        if self.engine is not None:
            values["engine"] = self.engine
        if self.alignment is None:
            return values
        return {
            **values,
            "source_words": list(self.alignment.source_words),
            "target_words": list(self.alignment.target_words),
            "alignment": [list(link) for link in self.alignment.links],
        }


@dataclass(frozen=True)
class Translation:
    """A line, its number counted from one, and its translations, best first.

    `error` is why it could not be translated; then its only candidate has no score, and the text that `on_error` asks
    for. `truncated` says that only its beginning was translated. Where a line was split, `pieces` are the translations
    of its sentences; then scores are the sums of theirs, and `error` is that of the first sentence that was copied or
    left out. `faults` are the faults that were seen in the best translation, None if it was not looked at; `repaired`
    are those that a further search has removed.
    """

    number: int
    source: str
    nbest: tuple[Candidate, ...]
    error: LineError | None = None
    truncated: bool = False
    pieces: tuple["Translation", ...] = ()
    faults: tuple[Fault, ...] | None = None
    repaired: tuple[Fault, ...] = ()

    @property
    def text(self) -> str:
        """The best translation."""
        return self.nbest[0].text

    @property
    def texts(self) -> list[str]:
        """All of them, best first."""
        return [candidate.text for candidate in self.nbest]

    @property
    def score(self) -> float:
        """The score of the best translation."""
        return self.nbest[0].score

    @property
    def log_probability(self) -> float:
        """The log-probability of the best translation."""
        return self.nbest[0].log_probability

    @property
    def alignment(self) -> WordAlignment | None:
        """The word alignment of the best translation, if it was asked for."""
        return self.nbest[0].alignment

    def __repr__(self) -> str:
        if self.error is not None:
            return f"Translation({self.number}, {self.source!r}, error={str(self.error)!r})"
        more = f", nbest={len(self.nbest)}" if len(self.nbest) > 1 else ""
        cut = ", truncated" if self.truncated else ""
        return f"Translation({self.number}, {self.source!r} -> {self.text!r}, score={self.score:.3f}{more}{cut})"

    def to_json(self) -> dict[str, Any]:
        """As a JSON object: the best translation, and the others beside it when there are any."""
        values: dict[str, Any] = {"line": self.number, "source": self.source}
        sentences = [{name: value for name, value in one.to_json().items() if name != "line"} for one in self.pieces]
        split = {"sentences": sentences} if len(sentences) > 1 else {}
        if self.error is not None:
            return {**values, "text": self.text, "error": str(self.error), **split}
        values |= self.nbest[0].to_json() | self._checked() | split
        if len(self.nbest) > 1:
            values["nbest"] = [candidate.to_json() for candidate in self.nbest]
        return values | ({"truncated": True} if self.truncated else {})

    def _checked(self) -> dict[str, Any]:
        if self.faults is None:
            return {}
        faults = {"faults": self.faults, "repaired": self.repaired}
        return {name: [one.to_json() for one in own] for name, own in faults.items()}


def failed(number: int, source: str, error: LineError, on_error: OnError) -> Translation:
    """What stands in place of the translation of a line that has none."""
    text = " ".join(source.split()) if on_error == "copy" else ""
    return Translation(number, source, (Candidate(text, math.nan, math.nan, None, False, None),), error)


Watch = Callable[[Iterator[Translation]], Iterator[Translation]]
"""Passes translations on as they come, and may show how many there are; `iter` shows nothing."""


@dataclass(frozen=True)
class TranslatedDocument:
    """A file, and what is known of its sentences, each numbered by the line on which it began."""

    content: bytes
    sentences: tuple[Translation, ...]


@dataclass(frozen=True)
class Scored:
    """What a model gives to a target it did not choose: log P(target | source), and that of each token, EOS last.

    `error` is why a pair could not be scored; it has no tokens then. `truncated` says that a side was cut.
    """

    log_probability: float
    token_log_probabilities: tuple[float, ...]
    error: LineError | None = None
    truncated: bool = False

    @property
    def tokens(self) -> int:
        """The number of target tokens, EOS included."""
        return len(self.token_log_probabilities)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object; numbers are rounded to the digits that depend on the pair alone."""
        if self.error is not None:
            return {"error": str(self.error)}
        values = {
            "log_probability": rounded(self.log_probability),
            "tokens": self.tokens,
            "token_log_probabilities": [rounded(value) for value in self.token_log_probabilities],
        }
        return values | ({"truncated": True} if self.truncated else {})

    def __repr__(self) -> str:
        if self.error is not None:
            return f"Scored(error={str(self.error)!r})"
        return f"Scored(log_probability={self.log_probability:.3f}, tokens={self.tokens})"
