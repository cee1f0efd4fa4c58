import pytest
import torch
from bench import workload
from bench.adapters.saccade import SEARCHES, Adapter, build, never_ends, sequences

from saccade.special_tokens import EOS

SIZE = workload.SIZES["tiny"]


@pytest.mark.parametrize("variant", SEARCHES)
def test_only_the_limit_ends_an_output(variant):
    if variant == "ctranslate2":
        pytest.importorskip("ctranslate2", reason="the engine is an optional extra")
    torch.manual_seed(3)
    adapter = Adapter(workload.Setup(SIZE, "decode", variant, 1))
    for beam in (1, 3):
        outputs = adapter.decode([[11, 12, 13, 14], [21, 22, 23, 24]], beam)
        assert [len(output) for output in outputs] == [5, 5]
        assert all(EOS not in output for output in outputs)


def test_making_the_end_hopeless_changes_one_score_a_lot_and_keeps_all_finite():
    torch.manual_seed(3)
    model = build(SIZE, attention_dropout=0.0).eval()
    never_ends(model)
    target = sequences([[31, 32, 33]])
    scores = model.decode(target.reads, model.encode(sequences([[11, 12]])))
    assert scores.isfinite().all()
    assert (scores[..., EOS] < -50).all()


def test_variants_differ_in_attention_dropout_alone():
    plain, dropping = (Adapter(workload.Setup(SIZE, "train", variant, 1)) for variant in ("", "attention_dropout"))
    assert (plain.model.config.attention_dropout, dropping.model.config.attention_dropout) == (0.0, SIZE.dropout)
    assert plain.model.config.dropout == dropping.model.config.dropout == SIZE.dropout


def test_a_step_learns():
    torch.manual_seed(3)
    adapter = Adapter(workload.Setup(SIZE, "train", "", 1))
    batch = adapter.collate([([11, 12, 13], [21, 22]), ([14, 15], [23, 24, 25])])
    losses = [adapter.step(batch) for _ in range(9)]
    assert losses[-1] < losses[0]
