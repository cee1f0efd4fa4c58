import json

import pytest
import torch
from bench import workload
from bench.gpu import decoding, language_model, training
from bench.gpu.__main__ import main
from bench.gpu.sustained import windows
from bench.gpu.tables import tables
from bench.gpu.workload import DECODED_LENGTH, batches

from saccade.special_tokens import EOS
from saccade.training.roofline import products

# bfloat16 is slow on most CPUs, and dropout would hide the little that five steps learn.
SIZE = workload.Size(width=16, layers=1, heads=2, inner=24, vocabulary=53, dropout=0.0)


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setattr(training, "DEVICE", "cpu")
    monkeypatch.setattr(decoding, "DEVICE", "cpu")


def test_batches_are_the_same_every_time():
    first, second = (batches(3, 503, tokens=700) for _ in range(2))
    assert first == second


def test_batches_keep_to_their_budget_on_both_sides_and_hardly_pad():
    made = batches(20, 503)
    positions = 0
    for batch in made:
        longest = max(len(row) + 1 for side in (batch.sources, batch.targets) for row in side)
        assert len(batch.sources) == len(batch.targets)
        assert longest * len(batch.sources) <= 25_000
        positions += len(batch.targets) * max(len(row) + 1 for row in batch.targets)
    assert sum(batch.target_tokens for batch in made) > 0.95 * positions


def test_packed_batches_hold_the_same_sentences():
    made = batches(3, 503, tokens=700)
    for pairs, batch in zip(training.packed(made), made, strict=True):
        for side, sentences in ((pairs.source, batch.sources), (pairs.target, batch.targets)):
            ends = side.packing.offsets.tolist()
            found = [side.tokens[0, begin:end].tolist() for begin, end in zip(ends, ends[1:], strict=False)]
            assert sorted(row for row in found if row) == sorted([*row, EOS] for row in sentences)


@pytest.mark.slow
@pytest.mark.parametrize(
    "implementation", [name for name in training.IMPLEMENTATIONS if "padded" in name or "saccade" not in name]
)
def test_every_implementation_trains(implementation):
    if "compiled" in implementation:
        pytest.skip("compilation takes minutes and a compiler")
    torch.manual_seed(5)
    steps = training.IMPLEMENTATIONS[implementation](SIZE, batches(2, SIZE.vocabulary, tokens=300))
    losses = [steps(0).item() for _ in range(5)]
    assert losses[-1] < losses[0]


@pytest.mark.slow
@pytest.mark.parametrize("implementation", ["saccade, padded", "nn.TransformerEncoder"])
def test_every_implementation_trains_a_decoder_alone(implementation):
    torch.manual_seed(5)
    steps = language_model.IMPLEMENTATIONS[implementation](SIZE, batches(2, SIZE.vocabulary, tokens=300))
    losses = [steps(0).item() for _ in range(5)]
    assert losses[-1] < losses[0]


def test_a_decoder_alone_has_the_products_that_the_roofline_counts():
    found = products(language_model.saccade_model(SIZE))
    counted = workload.language_model_products(SIZE, 1)
    assert sum(outputs * inputs * times for (outputs, inputs), times in found.items()) == sum(
        product.inner * product.outer * product.times for product in counted
    )


@pytest.mark.slow
@pytest.mark.parametrize("implementation", decoding.IMPLEMENTATIONS)
def test_every_implementation_writes_as_many_tokens_as_it_reads(implementation):
    torch.manual_seed(5)
    decode = decoding.IMPLEMENTATIONS[implementation](SIZE)
    outputs = decode(decode.prepare(decoding.sources(3, SIZE.vocabulary)))
    assert [len(output) for output in outputs] == [DECODED_LENGTH] * 3


def test_windows_leave_out_the_beginning():
    steps = [(float(second), 100) for second in range(1, 50)]
    assert windows(steps, settling=30.0, window=5.0) == [100.0] * 3


def test_a_slow_step_is_in_the_window_it_falls_in():
    assert windows([(1.0, 9), (2.0, 10), (6.0, 10)], settling=1.0, window=5.0) == [4.0]


LINES = [
    {
        "kind": "roofline",
        "implementation": "roofline",
        "size": "base",
        "train": {"ms": 10.0, "tflop": 9.45, "tflops": 611.0, "tokens_per_second": 2000.0},
        "language-model": {"ms": 5.0, "tflop": 4.0, "tflops": 600.0, "tokens_per_second": 4000.0},
        "decode": {"1": {"ms": 27.0}, "64": {"ms": 27.0}, "512": {"ms": 54.0}},
    },
    *(
        {
            "kind": kind,
            "implementation": implementation,
            "size": "base",
            "ms": [each, each],
            "tokens": [20, 30],
            "peak_gib": 11.5,
            "first_step_s": 3.0,
            "warmup_s": 4.0,
        }
        for kind in ("train", "language-model")
        for implementation, each in (("saccade", 25.0), ("peer", 100.0))
    ),
    {"kind": "train", "implementation": "hangs", "size": "base", "error": "no answer within 110 seconds"},
    *(
        {
            "kind": "decode",
            "implementation": implementation,
            "size": "base",
            "seconds": {"1": [each], "64": [each], "512": [each]},
            "warmup_s": 2.0,
        }
        for implementation, each in (("saccade", 0.5), ("peer", 4.0))
    ),
]


def test_a_training_table():
    shown = tables(LINES)
    assert "| saccade | 1,000 [900, 1,100] | 25.0 [25.0, 25.0] |  | 0.50 | 11.5 | 3 / 4 |" in shown
    assert "| peer | 250 [225, 275] | 100.0 [100.0, 100.0] | 4.00 [4.00, 4.00] | 0.12 | 11.5 | 3 / 4 |" in shown
    assert "| hangs | fails: no answer within 110 seconds |" in shown


def test_the_decoder_alone_has_a_roofline_of_its_own():
    alone = tables(LINES).split("**training the decoder alone, base**")[1]
    assert "| saccade | 1,000 [900, 1,100] | 25.0 [25.0, 25.0] |  | 0.25 | 11.5 | 3 / 4 |" in alone


def test_a_decoding_table():
    shown = tables(LINES)
    assert "| roofline: the decoder's matrix products alone | 1,000 | 64,000 | 256,000 |  |" in shown
    assert "| saccade | 54 [54, 54] |" in shown
    assert "| peer | 7 [7, 7]; saccade x 8.0 |" in shown


def test_a_file_of_results_can_be_shown_anywhere(tmp_path, capsys):
    path = tmp_path / "gpu.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    assert main(["--render", str(path)]) == 0
    assert capsys.readouterr().out == tables(LINES) + "\n"
