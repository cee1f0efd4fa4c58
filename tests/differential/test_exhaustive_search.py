"""Beam search against two searches that share no code with it: one that tries everything, one that can be read.

Both ask the model for whole sequences (`decode`, nothing cached, one sentence at a time) and keep plain lists.
"""

from functools import cache
from itertools import product

import pytest
import torch

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

VOCABULARY = 7
WRITABLE = [token for token in range(VOCABULARY) if token not in (PAD, EOS, BOS)]
SOURCES = [[4, 5, EOS], [6, EOS]]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]


def tiny(seed: int) -> Transformer:
    config = TransformerConfig(
        encoder_layers=1, decoder_layers=1, width=6, inner_width=11, heads=3, tie="none", maximum_length=13
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(config, VOCABULARY, VOCABULARY).double().eval()
    with torch.no_grad():
        model.output.weight.mul_(2)
    return model


def probability_of_next(model, source):
    """A function from what is written to the log-probabilities of all next tokens, read again from the beginning."""
    memory = model.encode(Sequences.of([source]))

    @cache
    def of(written):
        with torch.no_grad():
            return model.decode(Sequences.of([[BOS, *written]]), memory)[0, -1].log_softmax(0).tolist()

    return of


def penalised(log_probability, length, alpha):
    return log_probability / ((5 + length) / 6) ** alpha


def everything(model, source, limit):
    """Every sequence that ends within the limit, with its log-probability."""
    of = probability_of_next(model, source)
    found = {}
    for length in range(limit):
        for written in product(WRITABLE, repeat=length):
            tokens = (*written, EOS)
            found[tokens] = sum(of(tokens[:place])[token] for place, token in enumerate(tokens))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beam_as_wide_as_everything_finds_the_true_nbest(seed):
    model, extra, nbest = tiny(seed), 1, 5
    enough = len(WRITABLE) ** (max(map(len, SOURCES)) + extra)
    truth = [everything(model, source, len(source) + extra) for source in SOURCES]
    for alpha in (0.0, 0.6, 1.3):
        config = BeamConfig(size=enough, nbest=nbest, alpha=alpha, extra_length=extra)
        for found, all_of_them in zip(beam_search(model, Sequences.of(SOURCES), config), truth, strict=True):
            scores = {tokens: penalised(total, len(tokens), alpha) for tokens, total in all_of_them.items()}
            best = sorted(scores.items(), key=lambda item: -item[1])[:nbest]
            assert [hypothesis.tokens for hypothesis in found] == [tokens for tokens, _ in best]
            assert [hypothesis.score for hypothesis in found] == pytest.approx([score for _, score in best])


def readable_beam_search(model, source, size, alpha, limit):
    """The algorithm in plain lists, and without stopping early: it always goes on to the limit."""
    of = probability_of_next(model, source)
    alive, finished = [((), 0.0)], []
    for length in range(1, limit + 1):
        candidates = [
            ((*written, token), total + of(written)[token]) for written, total in alive for token in [EOS, *WRITABLE]
        ]
        candidates = sorted(candidates, key=lambda item: -item[1])[: 2 * size]
        finished += [(penalised(total, length, alpha), tokens) for tokens, total in candidates if tokens[-1] == EOS]
        finished = sorted(finished, key=lambda item: -item[0])[:size]
        alive = [candidate for candidate in candidates if candidate[0][-1] != EOS][:size]
    if finished:
        return finished
    return [(penalised(total, len(tokens), alpha), tokens) for tokens, total in alive]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_fast_search_finds_what_the_readable_one_finds(size, alpha, seed):
    extra = 3
    model = tiny(seed)
    config = BeamConfig(size=size, nbest=size, alpha=alpha, extra_length=extra)
    for source, found in zip(SOURCES, beam_search(model, Sequences.of(SOURCES), config), strict=True):
        expected = readable_beam_search(model, source, size, alpha, len(source) + extra)
        assert [hypothesis.tokens for hypothesis in found] == [tokens for _, tokens in expected]
        assert [hypothesis.score for hypothesis in found] == pytest.approx([score for score, _ in expected])
        best = beam_search(model, Sequences.of([source]), BeamConfig(size, alpha, extra_length=extra))
        assert best[0][0].tokens == expected[0][1]
