"""CTranslate2 as an engine: its arithmetic, our search rule.

Its beam search keeps the same hypotheses alive as ours: both extend `size` hypotheses, take the best 2 * size results
and let the best `size` that do not end live on. It differs in three ways:

- what counts as finished: it looks for ends among the best `size` results, we among all 2 * size;
- when to stop: it stops after `size` times a factor (its patience) have finished, we when nothing alive can win;
- how to rank: it divides by |Y|^alpha, we by the length penalty of Wu et al. 2016.

The last is mended here. It is asked for everything that finished, with bare log P, and the ranking is ours. The first
two can cost an output only where a later or less probable end wins: with PATIENCE for float32, on 1,000 sentences of
Tatoeba with the shipped model, none (with a factor of 1: four). PAD and BOS get no probability at all there, so that
log P is larger than ours by their share, a few ten-thousandths of a nat. With a beam of 1 it is greedy: it ends where
EOS is the most probable token, and never returns to an earlier end.

With a shortlist only the pieces on it share the probability, so that log P is larger still, and the pieces are those of
all sentences that are searched together: there, and there only, an output may depend on its neighbours.

In int8 the weights and the inputs of each matrix product have one byte each. One thread a worker and a worker for
each core is fastest by far, on x86 and on ARM: two threads that share a step's small products wait for each other.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.decoding.constraints import impossible
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.length_penalty import length_penalty
from saccade.decoding.ranking import STEPS_PER_NAT
from saccade.interop.ctranslate2 import SHORTLIST, Form, require
from saccade.sequences import EOS
from saccade.serving.engines import Sentence, batches

# So many times the beam size must have ended before a search stops.
PATIENCE: dict[Form, float] = {"float32": 1.5, "int8": 1.0, "int16": 1.0}
# Padded source tokens of a batch. From 8 to 64 sentences of Tatoeba made no difference; with more of them, what their
# shortlists hold together grows to most of the vocabulary.
BATCH_TOKENS = 384
# An exponent of the length penalty that changes nothing: with 0 the search would stop at the first end on top.
NO_PENALTY = 1e-30


class Ctranslate2Engine:
    """Searches a folder that `interop.ctranslate2.export` wrote, on the processor."""

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
        self._target = {piece: token for token, piece in enumerate(target.pieces(range(target.size)))}
        threads = torch.get_num_threads()
        self._translator: Any = ctranslate2.Translator(
            str(folder), device="cpu", compute_type=form, inter_threads=workers, intra_threads=1
        )
        # It sets the number of threads for the whole process, and torch would be left with one.
        torch.set_num_threads(threads)

    @property
    def description(self) -> str:
        """What it is and how it runs, in few words."""
        workers = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        return f"CTranslate2 {self._version}, {self.form}, {workers}{', shortlist' if self._shortlist else ''}"

    def obstacle(self, config: BeamConfig, prefixed: bool) -> str | None:
        """Why it cannot search like this, as an error says it; None where it can."""
        if config.coverage:
            return "`coverage` must be 0 in CTranslate2, which does not say where it looked. Use the engine torch."
        if prefixed:
            return "`prefix` must be empty in CTranslate2, which does not score what is forced. Use the engine torch."
        return None

    def search(
        self, sentences: Sequence[Sentence], config: BeamConfig, batch_tokens: int | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs of each sentence, in the order of the sentences; inside, the best first."""
        assert self.obstacle(config, any(sentence.prefix for sentence in sentences)) is None
        costs = [len(sentence.tokens) + 1 for sentence in sentences]
        limits = [min(cost + config.extra_length, self.maximum_length) for cost in costs]
        # Every worker gets a part, however few there are.
        share = -(-sum(costs) // self.workers)
        asked = [
            (batch, self._ask([sentences[index] for index in batch], max(limits[index] for index in batch), config))
            for batch in batches(costs, min(batch_tokens or BATCH_TOKENS, max(share, max(costs, default=1))))
        ]
        found: list[list[Hypothesis]] = [[] for _ in sentences]
        for batch, answers in asked:
            for index, answer in zip(batch, answers, strict=True):
                found[index] = self._ranked(answer.result(), limits[index], config)
        for index, hypotheses in enumerate(found):
            if not hypotheses:  # nothing ended within its own limit, which its batch went beyond
                (answer,) = self._ask([sentences[index]], limits[index], config)
                found[index] = self._ranked(answer.result(), limits[index], config)
        if not all(found):
            raise impossible()
        return found

    def _ask(self, sentences: Sequence[Sentence], limit: int, config: BeamConfig) -> Any:
        count = max(round(config.size * PATIENCE[self.form]), config.size) if config.size > 1 else 1
        return self._translator.translate_batch(
            [[self._source[token] for token in sentence.tokens] for sentence in sentences],
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
            # A list shorter than what a step chooses from would leave places of the beam empty.
            use_vmap=self._shortlist >= 2 * config.size,
        )

    def _ranked(self, answer: Any, limit: int, config: BeamConfig) -> list[Hypothesis]:
        """What ended within the limit, or if nothing did, what had been written at the limit, by our rule."""
        ended: list[Hypothesis] = []
        stopped: list[Hypothesis] = []
        for pieces, log_probability in zip(answer.hypotheses, answer.scores, strict=True):
            tokens = tuple(self._target[piece] for piece in pieces)
            if not math.isfinite(log_probability) or not 0 < len(tokens) <= limit:
                continue
            finished = tokens[-1] == EOS
            score = log_probability / length_penalty(len(tokens), config.alpha)
            if finished or len(tokens) == limit:
                (ended if finished else stopped).append(Hypothesis(tokens, log_probability, score, None, finished))
        # Of equal ones the shorter was found first.
        best = sorted(ended or stopped, key=lambda one: (-round(one.score * STEPS_PER_NAT), len(one.tokens)))
        return best[: config.nbest]
