"""What is asked of a translator: how to search, and what to do with what was found."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from saccade.decoding.beam import BeamConfig
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError, did_you_mean
from saccade.serving.glossary import Glossary
from saccade.serving.reranking import Reranker
from saccade.serving.translation import OnError
from saccade.serving.unknown_words import UnknownWords

Repair = bool | Literal["all"]


@dataclass(frozen=True, kw_only=True)
class TranslationOptions:
    """How to translate.

    Attributes:
        search: beam search or sampling; None is the beam search the model was saved with. Where `nbest` is above 1, a
            line has up to that many translations, each with a text of its own.
        seed: where sampling starts; each line draws from its own generator, made from the seed and its number.
        unknown_words: what to write for words that a word vocabulary lacks; None leaves `<unk>`.
        rerank: other models that rank everything the beam holds before the best are given back.
        alignment: whether to link the words of both sides.
        scores: whether scores will be printed. Rounded to three digits they then depend on the line alone and not on
            the batch; some outputs are scored again for that (`stable_scores.py`).
        truncate: whether to cut a line longer than the model can read, instead of refusing it.
        on_error: what to do with a line that is too long, is no text, or for which the search finds no output. None
            stops, except that a sentence of a longer text for which there is no output is copied.
        split_sentences: whether a text is split into sentences, each translated on its own, and its layout kept. This
            is done for translation only, and only for one output without alignment; otherwise a text is one sentence.
        constrained: whether a parser writes well-formed trees over the given words only, or whatever it likes best.
        glossary: how given words must be translated.
        protect: patterns of what must be copied exactly, beside the known ones (`documents/protected_spans.py`). None
            leaves everything to the model.
        repair: whether faults that are seen in an output (`quality/faults.py`) are repaired by searching again. True
            repairs those for which that is known to help, "all" repairs all, False only tells of them, and None does
            not look for any.
        batch_tokens: padded source tokens searched at once; None is what suits the device.
        window: how many lines are read before the first of them is given back.
        first_window: the same at the beginning; small, so that the first answers come soon.
    """

    search: BeamConfig | SamplingConfig | None = None
    seed: int = 1
    unknown_words: UnknownWords | None = None
    rerank: Reranker | None = None
    alignment: bool = False
    scores: bool = False
    truncate: bool = False
    on_error: OnError | None = None
    split_sentences: bool = False
    constrained: bool = True
    glossary: Glossary | None = None
    protect: tuple[str, ...] | None = None
    repair: Repair | None = None
    batch_tokens: int | None = None
    window: int = 1024
    first_window: int = 32

    def __post_init__(self) -> None:
        if self.rerank is not None and isinstance(self.search, SamplingConfig):
            raise ConfigError("`rerank` must not come with `sampling`, which makes no list to rank. Leave one out.")
        choices = get_args(OnError)
        if self.on_error is not None and self.on_error not in choices:
            raise ConfigError(
                f"`on_error` must be one of {', '.join(choices)}, but is {self.on_error!r}."
                f"{did_you_mean(str(self.on_error), choices)}"
            )
        for name in ("batch_tokens", "window", "first_window"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"`{name}` must be at least 1, but is {value}.")

    def window_sizes(self) -> Iterator[int]:
        """How many lines are read for each window in turn: twice as many each time, up to the largest."""
        size = min(self.first_window, self.window)
        while True:
            yield size
            size = min(2 * size, self.window)


class TranslateSettings(TypedDict, total=False):
    """The settings of `Translator.translate` that do not change the type of its result."""

    beam: int | None
    alpha: float | None
    coverage: float | None
    sampling: SamplingConfig | None
    seed: int
    unknown_words: UnknownWords | None
    rerank: Reranker | None
    truncate: bool
    on_error: OnError | None
    split_sentences: bool
    constrained: bool
    glossary: "Glossary | Mapping[str, str] | None"
    protect: bool | Sequence[str]
    repair: Repair
    batch_tokens: int | None


class TextSettings(TranslateSettings, total=False):
    """The same with the languages of the texts, for models of several: one for all, or one for each."""

    source_language: str | Sequence[str] | None
    target_language: str | Sequence[str] | None


class OptionSettings(TranslateSettings, total=False):
    """The settings of `Translator.options`: also those that change what is given back, and how much is read ahead."""

    nbest: int | None
    alignment: bool
    scores: bool
    window: int | None
