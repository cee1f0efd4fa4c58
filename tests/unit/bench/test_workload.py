import subprocess
import sys

import pytest
import torch
from bench import workload
from bench.adapters.saccade import build
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from saccade.sequences import Sequences
from saccade.special_tokens import EOS

SIZE = workload.Size(width=24, layers=2, heads=3, inner=40, vocabulary=53)


def pair_of_lengths(source, target):
    """A pair whose sides have so many positions, EOS counted."""
    return list(range(8, 8 + source - 1)), list(range(8, 8 + target - 1))


@pytest.mark.parametrize(("source", "target", "rows"), [(5, 7, 1), (11, 3, 2)])
def test_products_are_what_torch_counts(source, target, rows):
    pair = pair_of_lengths(source, target)
    sides = [Sequences.of([[*pair[side], EOS]] * rows) for side in (0, 1)]
    model = build(SIZE, attention_dropout=0.0).eval()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model.decode(sides[1].reads, model.encode(sides[0]))
    by_kind = {str(kind): count for kind, count in counter.get_flop_counts()["Global"].items()}
    products = sum(one.operations for one in workload.products(SIZE, rows * source, rows * target))
    assert sum(count for kind, count in by_kind.items() if kind in ("aten.mm", "aten.addmm")) == products


def test_attention_is_scores_and_weighted_sums_of_what_may_be_seen():
    source, target = 5, 7
    seen = source * source + sum(range(1, target + 1)) + target * source
    assert workload.attention_operations(SIZE, source, target) == 2 * 2 * seen * SIZE.width * SIZE.layers


def test_a_step_is_three_times_its_forward_operations():
    batch = [pair_of_lengths(5, 7), pair_of_lengths(3, 2)]
    products = sum(one.operations for one in workload.products(SIZE, 5 + 3, 7 + 2))
    attention = workload.attention_operations(SIZE, 5, 7) + workload.attention_operations(SIZE, 3, 2)
    assert workload.training_operations(SIZE, batch) == 3 * (products + attention)


def test_a_decoder_step_reads_every_weight_of_the_decoder_but_the_sources_keys_and_values():
    model = build(SIZE, attention_dropout=0.0)
    matrices = sum(weight.numel() for weight in model.decoder.parameters() if weight.dim() == 2)
    keys_and_values = SIZE.layers * 2 * SIZE.width**2
    assert workload.weights_read(SIZE) == matrices - keys_and_values + SIZE.vocabulary * SIZE.width


def test_batches_are_the_same_in_another_process():
    code = (
        "from bench import workload; import hashlib\n"
        "made = workload.batches(workload.CORPORA['short'], 7, 503, 301)\n"
        "print(hashlib.sha256(repr(made).encode()).hexdigest())"
    )
    root = str(workload.__file__).removesuffix("bench/workload.py")
    prints = {
        subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(prints) == 1


@settings(deadline=None)
@given(st.lists(st.integers(3, 100), min_size=1, max_size=60), st.integers(min_value=101, max_value=700))
def test_a_pool_is_cut_into_runs_that_fit(lengths, tokens):
    pool = [pair_of_lengths(5, length + 1) for length in sorted(lengths)]
    cut = workload.cut(pool, tokens)
    kept = [pair for batch in cut for pair in batch]
    assert kept == pool[: len(kept)]
    for batch in cut:
        assert len(batch) * (len(batch[-1][1]) + 1) <= tokens
    # What is left out would have been one more batch, and fits too.
    assert (len(pool) - len(kept)) * (len(pool[-1][1]) + 1) <= tokens


def test_batches_keep_to_their_budget():
    for batch in workload.batches(workload.CORPORA["medium"], 41, 503, 307):
        assert len(batch) * (max(len(target) for _, target in batch) + 1) <= 307


def test_batches_hold_only_ordinary_words():
    made = workload.batches(workload.CORPORA["short"], 3, 11, 301)
    words = {word for batch in made for pair in batch for side in pair for word in side}
    assert words == set(range(workload.FIRST_WORD, 11))


def test_batches_differ_from_each_other():
    first, second = workload.batches(workload.CORPORA["short"], 2, 503, 301)
    assert first != second


def test_a_batch_that_is_decoded_has_one_length():
    for group in workload.sources(count=21, batch=7, vocabulary=503):
        assert len(group) == 7
        assert len({len(sentence) for sentence in group}) == 1
        assert 16 <= len(group[0]) + 1 <= 24


def test_padding_is_positions_over_tokens():
    batch = [pair_of_lengths(2, 5), pair_of_lengths(6, 5)]
    assert workload.padding([batch]) == (12 / 8, 1.0)


def test_the_work_needs_nothing_but_the_standard_library():
    code = "from bench import workload; import sys; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    root = str(workload.__file__).removesuffix("bench/workload.py")
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
