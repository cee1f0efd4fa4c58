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
from saccade.serving.bundle import Bundle, load_bundle
from saccade.serving.choice import choose_engines
from saccade.serving.engines import Engine, Sentence, TorchEngine, batches, busy_tokens, cost
from saccade.serving.resolve import resolve
from saccade.serving.translation import Candidate, Options, Scored, Translation
from saccade.serving.word_alignment import WordAlignment, word_alignment


@dataclass(frozen=True)
class _Line:
    number: int
    source: str
    tokens: list[int]
    prefix: list[int]


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
        options = Options(search=self.beam_search(size=beam, alpha=alpha), truncate=truncate)
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
        self, lines: Iterable[str], options: Options | None = None, prefix: str | Iterable[str] = ""
    ) -> Iterator[Translation]:
        """Translates lines as they come, in order, holding no more than a window of them.

        An empty line becomes an empty translation without asking the model. A line that cannot be translated raises
        InputError after those before it have been given back. A language model has nothing to translate: it continues
        each line, after the prefix if there is one, and begins on its own where the line is empty.
        """
        options = options or Options()
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
        self, window: list[tuple[int, tuple[str, str]]], options: Options
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
                prepared.append(_Line(number, source, kept, self._fit(prefix, number, options.truncate, "prefix")))
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

    def _translate_window(self, lines: list[_Line], options: Options) -> Iterator[Translation]:
        empty = [line for line in lines if self._has_sources and not line.tokens]
        translated = {line.number: Translation(line.number, line.source, (_EMPTY,)) for line in empty}
        asked = [line for line in lines if line.number not in translated]
        search = options.search or self.search
        found = (
            self._draw(asked, search, options)
            if isinstance(search, SamplingConfig)
            else self._search(asked, search, options.batch_tokens)
        )
        alignments: list[list[WordAlignment | None]] = [[None] * len(hypotheses) for hypotheses in found]
        if options.alignment:
            for batch in self._batches(asked, options.batch_tokens):
                aligned = self._align([asked[index] for index in batch], [found[index] for index in batch])
                for index, links in zip(batch, aligned, strict=True):
                    alignments[index] = links
        for line, hypotheses, links in zip(asked, found, alignments, strict=True):
            candidates = tuple(map(self._candidate, hypotheses, links))
            translated[line.number] = Translation(line.number, line.source, candidates)
        yield from (translated[line.number] for line in lines)

    def _batches(self, lines: list[_Line], batch_tokens: int | None) -> Iterator[list[int]]:
        costs = [cost(line.tokens, line.prefix) for line in lines]
        return batches(costs, batch_tokens or busy_tokens(self.device))

    def _search(self, lines: list[_Line], search: BeamConfig, batch_tokens: int | None) -> list[list[Hypothesis]]:
        """Text repeats itself: what stands on several lines is searched once."""
        sentences = [Sentence(tuple(line.tokens), tuple(line.prefix)) for line in lines]
        distinct = list(dict.fromkeys(sentences))
        engine = self.engine(search, prefixed=any(sentence.prefix for sentence in distinct))
        found = dict(zip(distinct, engine.search(distinct, search, batch_tokens), strict=True))
        return [found[sentence] for sentence in sentences]

    def _draw(self, lines: list[_Line], search: SamplingConfig, options: Options) -> list[list[Hypothesis]]:
        """Every line from a generator of its own, so that equal lines may have other outputs."""
        drawn: list[list[Hypothesis]] = [[] for _ in lines]
        for batch in self._batches(lines, options.batch_tokens):
            source = Sequences.of([[*lines[index].tokens, EOS] for index in batch], device=self.device)
            prefixes = [lines[index].prefix for index in batch]
            prefix = Sequences.of(prefixes, device=self.device) if any(prefixes) else None
            generators = [_generator(options.seed, lines[index].number) for index in batch]
            for index, hypotheses in zip(batch, sample(self.model, source, search, generators, prefix), strict=True):
                drawn[index] = hypotheses
        return drawn

    def _candidate(self, hypothesis: Hypothesis, alignment: WordAlignment | None) -> Candidate:
        return Candidate(
            text=self.target_tokenizer.decode(hypothesis.tokens),
            score=hypothesis.score,
            log_probability=hypothesis.log_probability,
            token_log_probabilities=hypothesis.token_log_probabilities,
            finished=hypothesis.finished,
            alignment=alignment,
        )

    def _align(self, lines: list[_Line], found: list[list[Hypothesis]]) -> list[list[WordAlignment | None]]:
        """One more pass, forced through what search has found: search itself never pays for looking."""
        source = Sequences.of([[*line.tokens, EOS] for line in lines], device=self.device)
        owners = [row for row, hypotheses in enumerate(found) for _ in hypotheses]
        target = Sequences.of([h.tokens for hypotheses in found for h in hypotheses], device=self.device)
        with torch.inference_mode():
            memory = self.model.encode(source).select(torch.tensor(owners, device=self.device))
            weights = self.model.align(target, memory).cpu()
        aligned: list[list[WordAlignment | None]] = [[] for _ in lines]
        for owner, tokens, matrix in zip(owners, (h.tokens for best in found for h in best), weights, strict=True):
            aligned[owner].append(
                word_alignment(matrix, lines[owner].tokens, tokens, self.source_tokenizer, self.target_tokenizer)
            )
        return aligned


_EMPTY = Candidate("", 0.0, 0.0, (), True, WordAlignment((), (), ()))


def _shown(value: object) -> str:
    """A wrong value, in few words."""
    return f"the {type(value).__name__} {repr(value)[:40]}"


def load(model: str | Path, *more: str | Path, device: str | None = None, engine: str = "torch") -> Translator:
    """Opens a model by folder, run or shipped name; several are an ensemble that averages their probabilities.

    The engine "auto" is the fastest that is there and can run this model, "torch" and "ctranslate2" are these.
    """
    chosen = choose_device(device)
    return Translator([load_bundle(resolve(name), chosen) for name in (model, *more)], chosen, engine)


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
