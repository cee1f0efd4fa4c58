"""What is asked of a translator, and what it answers."""

from dataclasses import dataclass
from typing import Any

from saccade.decoding.beam import BeamConfig
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError
from saccade.serving.word_alignment import WordAlignment


@dataclass(frozen=True, kw_only=True)
class TranslationOptions:
    """How to translate.

    Attributes:
        search: beam search or sampling; None is the beam search the model was saved with.
        seed: where sampling starts; each line draws from its own generator, made from the seed and its number.
        alignment: whether to link the words of both sides.
        truncate: whether to cut a line longer than the model can read, instead of refusing it.
        batch_tokens: padded source tokens searched at once; None is what suits the device.
        window: lines read ahead of the first that is given back.
        first_window: the same at the beginning; small, so that the first answers come soon whatever follows.
    """

    search: BeamConfig | SamplingConfig | None = None
    seed: int = 1
    alignment: bool = False
    truncate: bool = False
    batch_tokens: int | None = None
    window: int = 1024
    first_window: int = 32

    def __post_init__(self) -> None:
        for name in ("batch_tokens", "window", "first_window"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"`{name}` must be at least 1, but is {value}.")


@dataclass(frozen=True)
class Candidate:
    """One translation of a line; `score` ranks, `log_probability` is the model's, of all its tokens.

    What each token contributes is None where the engine does not tell.
    """

    text: str
    score: float
    log_probability: float
    token_log_probabilities: tuple[float, ...] | None
    finished: bool
    alignment: WordAlignment | None

    def to_json(self) -> dict[str, Any]:
        """As a JSON object; what was not asked for or is not known is left out."""
        values: dict[str, Any] = {"text": self.text, "score": self.score, "log_probability": self.log_probability}
        if self.token_log_probabilities is not None:
            values["token_log_probabilities"] = list(self.token_log_probabilities)
        values["finished"] = self.finished
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
    """A line, its number counted from one, and its translations, best first."""

    number: int
    source: str
    nbest: tuple[Candidate, ...]

    @property
    def text(self) -> str:
        """The best translation."""
        return self.nbest[0].text

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

    def to_json(self) -> dict[str, Any]:
        """As a JSON object: the best translation, and the others beside it when there are any."""
        values = {"line": self.number, "source": self.source, **self.nbest[0].to_json()}
        if len(self.nbest) > 1:
            values["nbest"] = [candidate.to_json() for candidate in self.nbest]
        return values


@dataclass(frozen=True)
class Scored:
    """What a model gives to a target it did not choose: log P(target | source), and that of each token, EOS last."""

    log_probability: float
    token_log_probabilities: tuple[float, ...]

    @property
    def tokens(self) -> int:
        """The number of target tokens, EOS included."""
        return len(self.token_log_probabilities)
