"""CTranslate2 as an engine: its arithmetic, our ranking.

Its beam search keeps the same hypotheses alive as ours: both extend `size` hypotheses, take the best 2 * size results
and keep the best `size` that do not end. It differs in three ways:

- what counts as finished: it looks for ends among the best `size` results, we among all 2 * size;
- when to stop: it stops after `size` times a factor (its patience) have finished, we when nothing alive can win;
- how to rank: it divides by |Y|^alpha, we mostly by the length penalty of Wu et al. 2016.

The last difference is removed here: we ask for everything that finished, with bare log P, and rank it ourselves. The
first two can change an output only where a later or less probable end wins: with PATIENCE for float32, on 1,000
sentences of Tatoeba with the shipped model, none (with a factor of 1: four). A model from elsewhere may be searched by
CTranslate2's rule for ends, and stops as Hugging Face's generate() does. Where a model is
nearly sure of every token, ends that nobody would take are among the best results of each step, and the search is over
before the output is: such an answer is known by a finished output that another one begins with, and is asked for again
without counting. CTranslate2 gives PAD and BOS no
probability at all, so its log P is larger than ours by their share, a few ten-thousandths of a nat. With a beam of 1
it is greedy: it ends where EOS is the most probable token, and never returns to an earlier end.

With a shortlist only the tokens on it share the probability, so log P is larger still, and the tokens are those of all
sentences in a batch: only then may an output depend on the other sentences of its batch. It is the shortlist alone that
does it: in float32 and among sentences of equal length outputs change too, and without one none of 10,000 did, nor any
bit of a score (`bench/search_cpu.py`).

In int8 the weights and the inputs of each matrix product have one byte each. One thread for each worker and one worker
for each core is fastest by far, on x86 and on ARM: threads that share a step's small products wait for each other.

Converting a model takes seconds, so the result is kept in the user's cache (never in the model folder), under the
checksum of the model folder and the version of CTranslate2. The cache keeps the KEPT conversions used last. Each is
verified before it is used, since the library crashes on some damaged files, and made again if it is not intact.
"""

import math
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from saccade.counted import counted
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.decoding.constraints import impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ranking import STEPS_PER_NAT
from saccade.errors import ConfigError, FormatError, RunError
from saccade.folders import cache_folder
from saccade.interop.ctranslate2 import SHORTLIST, Form, export, obstacle, require
from saccade.interop.exported_folder import check_export
from saccade.serving.batching import SearchInput, batches
from saccade.serving.bundle import Bundle
from saccade.special_tokens import EOS

# A search stops when this many times the beam size have finished.
PATIENCE: dict[Form, float] = {"float32": 1.5, "int8": 1.0, "int16": 1.0}
# Padded source tokens of a batch. From 8 to 64 sentences of Tatoeba made no difference; with more of them, the union of
# their shortlists grows to most of the vocabulary.
BATCH_TOKENS = 384
# An exponent of the length penalty that changes nothing: with 0 the search would stop at the first finished best.
NO_PENALTY = 1e-30
KEPT = 8
# Seconds after which nobody is at work on an unfinished conversion any more.
ABANDONED = 24 * 60 * 60
# Raise this when `export` writes something else than before, so that no older conversion is used.
REVISION = 2


class Ctranslate2Engine:
    """Searches a model that `interop.ctranslate2.export` wrote, on the CPU."""

    def __init__(
        self,
        folder: Path,
        tokenizers: tuple[Tokenizer, Tokenizer],
        *,
        form: Form,
        workers: int,
        maximum_length: int,
        always: int = 0,
    ) -> None:
        ctranslate2 = require()
        self.form, self.workers, self.maximum_length = form, workers, maximum_length
        self._shortlist = always if (folder / SHORTLIST).is_file() else 0
        self._version: str = ctranslate2.__version__
        source, target = tokenizers
        self._source = source.pieces(range(source.size))
        self._pieces = target.pieces(range(target.size))
        self._target = {piece: token for token, piece in enumerate(self._pieces)}
        threads = torch.get_num_threads()
        self._translator: Any = ctranslate2.Translator(
            str(folder), device="cpu", compute_type=form, inter_threads=workers, intra_threads=1
        )
        # It sets the number of threads for the whole process, and torch would be left with one.
        torch.set_num_threads(threads)

    @classmethod
    def of(cls, bundle: Bundle, *, form: Form = "int8", workers: int | None = None) -> "Ctranslate2Engine":
        """The engine for a model, converted if need be, with as many workers as torch would use threads."""
        reason = obstacle(bundle.architecture, bundle.model_config)
        if reason is not None:
            raise ConfigError(reason)
        if form == "float32":  # which is for the same outputs as the search with torch
            bundle = replace(bundle, shortlist=None)
        with tempfile.TemporaryDirectory() as temporary:
            return cls(
                _converted(bundle, form, Path(temporary) / "model"),
                (bundle.source_tokenizer, bundle.target_tokenizer),
                form=form,
                workers=workers or torch.get_num_threads(),
                maximum_length=bundle.model.maximum_length,
                always=0 if bundle.shortlist is None else len(bundle.shortlist.always),
            )

    @property
    def description(self) -> str:
        """Its name and how it runs, in a few words."""
        workers = counted(self.workers, "worker")
        return f"CTranslate2 {self._version}, {self.form}, {workers}{', shortlist' if self._shortlist else ''}"

    def obstacle(self, config: BeamConfig, prefixed: bool) -> str | None:
        """Why it cannot do this search, as the text of an error; None where it can."""
        if config.coverage:
            return "`coverage` must be 0 in CTranslate2, which does not return attention weights. Use the engine torch."
        if config.stop == "worst-finished":
            return "`stop` must not be 'worst-finished' in CTranslate2, which stops by count. Use the engine torch."
        if prefixed:
            return "`prefix` must be empty in CTranslate2, which does not score a forced prefix. Use the engine torch."
        return None

    def search(
        self, inputs: Sequence[SearchInput], config: BeamConfig, batch_tokens: int | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs of each input, best first, in the order of the inputs."""
        assert self.obstacle(config, any(one.prefix for one in inputs)) is None
        assert all(len(one.language) <= config.unscored_prefix for one in inputs)
        costs = [len(one.tokens) + 1 for one in inputs]
        limits = [min(cost + config.extra_length, self.maximum_length) for cost in costs]
        # Every worker gets a share, however few inputs there are; a share that is not much larger than a batch is one.
        share = max(-(-sum(costs) // self.workers), max(costs, default=1))
        usual = share if BATCH_TOKENS < share <= 2 * BATCH_TOKENS else BATCH_TOKENS
        asked = [
            (batch, self._ask([inputs[index] for index in batch], max(limits[index] for index in batch), config))
            for batch in batches(costs, min(batch_tokens or usual, share))
        ]
        found: list[list[Hypothesis]] = [[] for _ in inputs]
        counts_ends = config.size > 1 and config.stop != "first-finished"
        again: dict[int, float | None] = {}
        for batch, answers in asked:
            for index, answer in zip(batch, answers, strict=True):
                result = answer.result()
                found[index] = self._ranked(result, limits[index], config)
                if counts_ends and over_too_soon(result.hypotheses, result.scores):
                    again[index] = limits[index]
                elif not found[index]:  # its batch had a larger limit, and nothing ended within its own
                    again[index] = None
        for index, patience in again.items():
            (answer,) = self._ask([inputs[index]], limits[index], config, patience)
            found[index] = self._ranked(answer.result(), limits[index], config)
        if not all(found):
            raise impossible()
        return found

    def _ask(self, inputs: Sequence[SearchInput], limit: int, config: BeamConfig, patience: float | None = None) -> Any:
        if patience is None:
            patience = 1.0 if config.size == 1 or config.stop == "first-finished" else PATIENCE[self.form]
        count = max(round(config.size * patience), config.size)
        prefixed = any(one.language for one in inputs)
        return self._translator.translate_batch(
            [[self._source[token] for token in one.tokens] for one in inputs],
            # Its probability is not counted there either.
            target_prefix=[[self._pieces[token] for token in one.language] for one in inputs] if prefixed else None,
            asynchronous=True,
            beam_size=config.size,
            patience=count / config.size,
            num_hypotheses=count,
            length_penalty=NO_PENALTY,
            return_scores=True,
            return_end_token=True,
            max_input_length=0,
            min_decoding_length=0,
            max_decoding_length=limit,
            # A shortlist with fewer tokens than a step chooses from would leave places of the beam empty.
            use_vmap=self._shortlist >= 2 * config.size,
        )

    def _ranked(self, answer: Any, limit: int, config: BeamConfig) -> list[Hypothesis]:
        """What ended within the limit, or if nothing did, what stood there at the limit, ranked as ours."""
        ended: list[Hypothesis] = []
        stopped: list[Hypothesis] = []
        for pieces, log_probability in zip(answer.hypotheses, answer.scores, strict=True):
            tokens = tuple(self._target[piece] for piece in pieces)
            if not math.isfinite(log_probability) or not 0 < len(tokens) <= limit:
                continue
            finished = tokens[-1] == EOS
            score = log_probability / config.penalty(len(tokens))
            if finished or len(tokens) == limit:
                found = Hypothesis(tokens, log_probability, score, None, finished, "ctranslate2")
                (ended if finished else stopped).append(found)
        # Of equal scores the shorter output was found first.
        compared = ended + stopped if config.limit_finishes else ended or stopped
        best = sorted(compared, key=lambda one: (-round(one.score * STEPS_PER_NAT), len(one.tokens)))
        return best[: config.nbest]


def over_too_soon(hypotheses: Sequence[Sequence[str]], log_probabilities: Sequence[float]) -> bool:
    """Whether a finished output is the beginning of another, and none is more probable than all others together."""
    bodies = [tuple(pieces[:-1]) for pieces in hypotheses if pieces]
    return max(log_probabilities) < math.log(0.5) and any(
        len(one) < len(other) and other[: len(one)] == one for one in bodies for other in bodies
    )


def _converted(bundle: Bundle, form: Form, temporary: Path) -> Path:
    """The converted model, in the cache; in `temporary` where the model has no checksum or the cache is read-only."""
    if bundle.digest is None:
        return _convert(bundle, form, temporary)
    cache = cache_folder("engines") / "ctranslate2"
    kind = f"{form}-shortlist" if bundle.shortlist is not None else form
    folder = cache / f"{bundle.digest[:32]}-{require().__version__}-{kind}-{REVISION}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if not _intact(folder):
            # Several processes may convert at the same time, each into its own folder; the first rename wins.
            partial = _convert(bundle, form, cache / f".{folder.name}.{os.getpid()}")
            if not _intact(folder):
                shutil.rmtree(folder, ignore_errors=True)
            try:
                partial.rename(folder)
            except OSError:
                shutil.rmtree(partial, ignore_errors=True)
                if not _intact(folder):
                    raise
        with suppress(OSError):  # a cache that may only be read is good enough
            os.utime(folder)
    except (OSError, RunError):
        return _convert(bundle, form, temporary)
    _remove_unused(cache, time.time())
    return folder


def _intact(folder: Path) -> bool:
    try:
        check_export(folder)
    except FormatError:
        return False
    return True


def _convert(bundle: Bundle, form: Form, folder: Path) -> Path:
    export(bundle, folder, form)
    return folder


def _remove_unused(cache: Path, now: float) -> None:
    """Removes all conversions but those used last, and what is left of those that were killed."""
    found: list[tuple[float, Path]] = []
    for folder in cache.iterdir():
        with suppress(FileNotFoundError):  # another process removes them too
            found.append((folder.stat().st_mtime, folder))
    whole = [one for one in found if not one[1].name.startswith(".")]
    killed = [one for one in found if one[1].name.startswith(".") and one[0] < now - ABANDONED]
    for _, folder in [*sorted(whole, reverse=True)[KEPT:], *killed]:
        shutil.rmtree(folder, ignore_errors=True)
