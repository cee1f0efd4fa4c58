"""Text in, text out: a model folder as a person uses it.

    translator = saccade.load("runs/x")
    translator.translate(["Two men are talking."])

Long inputs stream: a window of lines is read, each distinct one is searched once, by length in batches of equal cost,
and all are given back in the order they came, so memory does not grow with the input, and no translation depends on
its neighbours.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from saccade.data.tasks import find_task
from saccade.decoding.beam import BeamConfig
from saccade.decoding.ensemble import Ensemble
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.sampling import SamplingConfig, sample
from saccade.decoding.scoring import score_pairs
from saccade.errors import ConfigError, InputError
from saccade.models.contract import Transducer
from saccade.sequences import EOS, Pairs, Sequences
from saccade.serving.batching import SearchInput, batches, default_batch_tokens, search_in_batches
from saccade.serving.bundle import Bundle, model_folder
from saccade.serving.engines import Engine, TorchEngine, choose_engines
from saccade.serving.translation import Candidate, Scored, Translation, TranslationOptions
from saccade.serving.word_alignment import Aligner, WordAlignment


@dataclass(frozen=True)
class _Line:
    """A line to translate: its number, counted from one, its text and its tokens."""

    number: int
    source: str
    input: SearchInput


class Translator:
    """A model with its tokenizers and search: what `saccade.load` returns.

    `engine` names what searches: our own code on torch, CTranslate2, or the fastest of those that are there.
    """

    def __init__(self, bundles: Sequence[Bundle], device: torch.device, engine: str = "torch") -> None:
        assert bundles, "a translator needs a model"
        _check_that_ensemble_shares_tokenizers(bundles)
        self.bundle = bundles[0]
        self.source_tokenizer = self.bundle.source_tokenizer
        self.target_tokenizer = self.bundle.target_tokenizer
        self.device = device
        self.model: Transducer[Any, Any] = (
            self.bundle.model if len(bundles) == 1 else Ensemble([bundle.model for bundle in bundles])
        )
        self.engines = choose_engines(engine, bundles, self.model, device)

    @property
    def task(self) -> str:
        """What the model was trained for."""
        return self.bundle.task

    @property
    def _has_sources(self) -> bool:
        return find_task(self.task).has_sources

    @property
    def traceable(self) -> Bundle:
        """The model that a trace shows; an ensemble has several."""
        if self.model is not self.bundle.model:
            raise ConfigError("a trace must be of one model, but this is an ensemble of several. Load one of them.")
        return self.bundle

    @property
    def search(self) -> BeamConfig:
        """The search the model was saved with."""
        return BeamConfig(**self.bundle.decoding)

    def translate(
        self,
        texts: Sequence[str],
        *,
        beam: int | None = None,
        alpha: float | None = None,
        prefix: str | Sequence[str] = "",
        truncate: bool = False,
    ) -> list[str]:
        """The best translation of each text; `beam` and `alpha` replace what the model was saved with.

        A prefix, one for all or one for each, is how the translation must begin.
        """
        if isinstance(texts, str):
            raise InputError("`texts` must be a list of texts, but is one text. Put it in brackets.")
        texts = list(texts)
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"`texts[{index}]` must be a text, but is {_shown(text)}.")
        if not isinstance(prefix, str) and len(prefix) != len(texts):
            raise InputError(f"`prefix` must be one text or {len(texts)}, but there are {len(prefix)}.")
        options = TranslationOptions(search=self.beam_search(size=beam, alpha=alpha), truncate=truncate)
        return [translation.text for translation in self.stream(texts, options, prefix)]

    def beam_search(self, **changes: Any) -> BeamConfig:
        """The search the model was saved with, changed where a value is given."""
        return replace(self.search, **{name: value for name, value in changes.items() if value is not None})

    def engine(self, search: BeamConfig | SamplingConfig | None = None, *, prefixed: bool = False) -> Engine:
        """The first engine that can do this search; where none can, the reason of the last."""
        if isinstance(search, SamplingConfig):  # drawing is ours: another program has other random numbers
            return TorchEngine(self.model, self.device)
        reasons = []
        for engine in self.engines:
            reason = engine.obstacle(search or self.search, prefixed)
            if reason is None:
                return engine
            reasons.append(reason)
        raise ConfigError(reasons[-1])

    def stream(
        self, lines: Iterable[str], options: TranslationOptions | None = None, prefix: str | Iterable[str] = ""
    ) -> Iterator[Translation]:
        """Translates lines as they come, in order, holding no more than a window of them.

        An empty line becomes an empty translation without asking the model. A line that cannot be translated raises
        InputError after those before it have been given back. A language model has nothing to translate: it continues
        each line, after the prefix if there is one, and begins on its own where the line is empty.
        """
        options = options or TranslationOptions()
        numbered = enumerate(_with_prefixes(lines, prefix), start=1)
        size = min(options.first_window, options.window)
        while window := list(islice(numbered, size)):
            prepared, refusal = self._prepare(window, options)
            yield from self._translate_window(prepared, options)
            if refusal:
                raise refusal
            size = min(2 * size, options.window)

    def score(self, pairs: Iterable[tuple[str, str]], *, truncate: bool = False) -> list[Scored]:
        """How probable the model finds each target given its source."""
        pairs = list(pairs)
        for index, pair in enumerate(pairs):
            if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(side, str) for side in pair):
                raise InputError(
                    f"`pairs[{index}]` must be (source, target), two texts, but is {_shown(pair)}. "
                    "Give a list of such pairs."
                )
        return list(self.stream_scores(pairs, truncate=truncate))

    def trace(
        self,
        text: str,
        *,
        beam: int | None = None,
        alpha: float | None = None,
        force: str | None = None,
        prefix: str | None = None,
        what_if: Mapping[str, Any] | None = None,
        detail: Sequence[str] = ("weights",),
    ) -> dict[str, Any]:
        """Everything that happens to a text on its way through the model, as the explorer draws it (a JSON object).

        `detail` "all" has every vector; `force` is a translation to follow instead of searching for one; `what_if`
        changes the model first, as {"name": "no-scale"} does.
        """
        # Imported here to keep the start-up of translation short.
        from saccade.tracing.options import TraceOptions
        from saccade.tracing.trace import trace

        decode = {"size": beam, "alpha": alpha}
        asked = {"decode": decode, "force": force, "prefix": prefix, "what_if": what_if, "detail": list(detail)}
        return trace(self.traceable, text, TraceOptions.from_json(asked))

    def stream_scores(
        self, pairs: Iterable[tuple[str, str]], *, truncate: bool = False, batch_tokens: int = 4096, window: int = 1024
    ) -> Iterator[Scored]:
        """Scores pairs as they come, in order, holding no more than a window of them."""
        numbered = enumerate(pairs, start=1)
        while chunk := list(islice(numbered, window)):
            sources = self.source_tokenizer.encode([source for _, (source, _) in chunk])
            targets = self.target_tokenizer.encode([target for _, (_, target) in chunk])
            rows = []
            for (number, _), source, target in zip(chunk, sources, targets, strict=True):
                kept = self._fit(source, number, truncate, "source"), self._fit(target, number, truncate, "target")
                rows.append(([*kept[0], EOS], [*kept[1], EOS]))
            scored: dict[int, Scored] = {}
            for batch in batches([max(len(source), len(target)) for source, target in rows], batch_tokens):
                together = Pairs(
                    Sequences.of([rows[index][0] for index in batch], device=self.device),
                    Sequences.of([rows[index][1] for index in batch], device=self.device),
                )
                results = score_pairs(self.model, together).tolist()
                for index, row in zip(batch, results, strict=True):
                    tokens = tuple(row[: len(rows[index][1])])
                    scored[index] = Scored(math.fsum(tokens), tokens)
            yield from (scored[index] for index in range(len(rows)))

    def _prepare(
        self, window: list[tuple[int, tuple[str, str]]], options: TranslationOptions
    ) -> tuple[list[_Line], InputError | None]:
        """Encodes lines up to the first that cannot be read, and says why that one cannot."""
        if self._has_sources:
            encoded = self.source_tokenizer.encode([source for _, (source, _) in window])
            prefixes = self.target_tokenizer.encode([prefix for _, (_, prefix) in window])
        else:
            encoded = [[] for _ in window]
            prefixes = self.target_tokenizer.encode([f"{prefix} {line}" for _, (line, prefix) in window])
        prepared = []
        for (number, (source, _)), tokens, prefix in zip(window, encoded, prefixes, strict=True):
            try:
                kept = self._fit(tokens, number, options.truncate, "source")
                begin = self._fit(prefix, number, options.truncate, "prefix")
                prepared.append(_Line(number, source, SearchInput(tuple(kept), tuple(begin))))
            except InputError as refusal:
                return prepared, refusal
        return prepared, None

    def _fit(self, tokens: list[int], number: int, truncate: bool, side: str) -> list[int]:
        limit = self.model.maximum_length
        if len(tokens) < limit:  # one place is for EOS
            return tokens
        if truncate:
            return tokens[: limit - 1]
        raise InputError(
            f"line {number} must have a {side} of at most {limit - 1} tokens, which is what this model reads, but has "
            f"{len(tokens)}. Split it, or ask to truncate it (--truncate)."
        )

    def _translate_window(self, lines: list[_Line], options: TranslationOptions) -> Iterator[Translation]:
        empty = [line for line in lines if self._has_sources and not line.input.tokens]
        translated = {line.number: Translation(line.number, line.source, (_EMPTY,)) for line in empty}
        remaining = [line for line in lines if line.number not in translated]
        search = options.search or self.search
        found = (
            self._sample(remaining, search, options)
            if isinstance(search, SamplingConfig)
            else self._search(remaining, search, options.batch_tokens)
        )
        alignments: Sequence[Sequence[WordAlignment | None]] = (
            self._align(remaining, found, options.batch_tokens)
            if options.alignment
            else [[None] * len(hypotheses) for hypotheses in found]
        )
        for line, hypotheses, aligned in zip(remaining, found, alignments, strict=True):
            candidates = tuple(map(self._candidate, hypotheses, aligned))
            translated[line.number] = Translation(line.number, line.source, candidates)
        yield from (translated[line.number] for line in lines)

    def _search(self, lines: list[_Line], search: BeamConfig, batch_tokens: int | None) -> list[list[Hypothesis]]:
        """Text repeats itself: equal inputs are searched once."""
        inputs = [line.input for line in lines]
        distinct = list(dict.fromkeys(inputs))
        engine = self.engine(search, prefixed=any(one.prefix for one in distinct))
        found = dict(zip(distinct, engine.search(distinct, search, batch_tokens), strict=True))
        return [found[one] for one in inputs]

    def _sample(
        self, lines: list[_Line], config: SamplingConfig, options: TranslationOptions
    ) -> list[list[Hypothesis]]:
        """Every line has a generator of its own, so equal lines may have different outputs."""

        def draw(batch: list[int], source: Sequences, prefix: Sequences | None) -> list[list[Hypothesis]]:
            generators = [_generator(options.seed, lines[index].number) for index in batch]
            return sample(self.model, source, config, generators, prefix)

        return search_in_batches([line.input for line in lines], draw, self.device, options.batch_tokens)

    def _align(
        self, lines: list[_Line], found: list[list[Hypothesis]], batch_tokens: int | None
    ) -> list[list[WordAlignment]]:
        """The word alignments of everything that was found, in batches."""
        aligner = Aligner(self.model, self.source_tokenizer, self.target_tokenizer, self.device)
        aligned: list[list[WordAlignment]] = [[] for _ in lines]
        costs = [line.input.cost for line in lines]
        for batch in batches(costs, batch_tokens or default_batch_tokens(self.device)):
            targets = [[hypothesis.tokens for hypothesis in found[index]] for index in batch]
            alignments = aligner.align([lines[index].input.tokens for index in batch], targets)
            for index, own in zip(batch, alignments, strict=True):
                aligned[index] = own
        return aligned

    def _candidate(self, hypothesis: Hypothesis, alignment: WordAlignment | None) -> Candidate:
        return Candidate(
            text=self.target_tokenizer.decode(hypothesis.tokens),
            score=hypothesis.score,
            log_probability=hypothesis.log_probability,
            token_log_probabilities=hypothesis.token_log_probabilities,
            finished=hypothesis.finished,
            alignment=alignment,
        )


_EMPTY = Candidate("", 0.0, 0.0, (), True, WordAlignment((), (), ()))


def _shown(value: object) -> str:
    """A wrong value, in few words."""
    return f"the {type(value).__name__} {repr(value)[:40]}"


def load(model: str | Path, *more: str | Path, device: str | None = None, engine: str = "torch") -> Translator:
    """Opens a model by folder, run or shipped name; several are an ensemble that averages their probabilities.

    The engine "auto" is the fastest that is there and can run this model, "torch" and "ctranslate2" are these.
    """
    chosen = choose_device(device)
    return Translator([Bundle.load(model_folder(name), chosen) for name in (model, *more)], chosen, engine)


def choose_device(name: str | None) -> torch.device:
    """The device of that name; without one, a GPU if there is one."""
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        raise ConfigError(f"`device` must be one that is here, but is {name!r}. Use cpu, or leave it out.") from None
    return device


def _check_that_ensemble_shares_tokenizers(bundles: Sequence[Bundle]) -> None:
    """Probabilities of pieces can only be averaged when both models mean the same pieces."""
    first = bundles[0]
    for other in bundles[1:]:
        for side in ("source", "target"):
            mine, yours = getattr(first, f"{side}_tokenizer"), getattr(other, f"{side}_tokenizer")
            if mine != yours:
                raise ConfigError(f"models of an ensemble must have the same {side} vocabulary, but these differ.")


def _with_prefixes(lines: Iterable[str], prefix: str | Iterable[str]) -> Iterator[tuple[str, str]]:
    if isinstance(prefix, str):
        return ((line, prefix) for line in lines)
    return zip(lines, prefix, strict=True)


def _generator(seed: int, number: int) -> torch.Generator:
    """Torch keeps 32 bits of a seed, so a digest of both numbers keeps neighbouring lines apart."""
    digest = hashlib.sha256(f"{seed} {number}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:4], "big"))
