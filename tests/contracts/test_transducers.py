"""Every architecture of the catalogue, in every variant it has, held to the contract of models/contract.py."""

from dataclasses import dataclass, fields
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save
from torch.nn import functional

from saccade.attention.altering import altering
from saccade.attention.policy_gradient import drawing, policy_gradient
from saccade.attention.recording import recording, tracing
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_fast import fast_search
from saccade.decoding.searcher import Searcher
from saccade.models.capabilities import CountingModel, LinearOutput, Penalised, reads_packed
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.models.contract import State, Transducer
from saccade.sequences import Packed, Packing, Pairs, Sequences
from saccade.special_tokens import BOS, EOS, PAD
from saccade.training.objective import Objective

VOCABULARY = 31


@dataclass(frozen=True)
class Case:
    architecture: str
    variant: str

    def model(self, **changes: Any) -> Transducer[Any, Any]:
        known = CASES_OF[self.architecture]
        settings_ = {**known["SIZES"], **known["VARIANTS"][self.variant], **changes}
        torch.manual_seed(5)
        config = ARCHITECTURES[self.architecture].config(**settings_)
        model = build(self.architecture, config, VOCABULARY, VOCABULARY).eval()
        if isinstance(model, CountingModel):
            model.count(Pairs(SOURCE, TARGET))
            model.count(Pairs(TARGET, SOURCE))
            model.finish_counting()
        return model

    @property
    def task(self) -> str:
        return ARCHITECTURES[self.architecture].task


# What the tests need to know of each architecture is in a file of its own: small sizes, and the variants it has.
FOLDER = Path(__file__).parent / "cases"
CASES_OF = {name: run_path(str(FOLDER / f"{name.replace('-', '_')}.py")) for name in ARCHITECTURES}
CASES = [Case(name, variant) for name, known in CASES_OF.items() for variant in known["VARIANTS"]]


def first_fast(cases: list[Case]) -> list[Any]:
    """Every architecture in its first variant; the other variants are slow."""
    firsts = {name: next(iter(known["VARIANTS"])) for name, known in CASES_OF.items()}
    return [
        case if case.variant == firsts[case.architecture] else pytest.param(case, marks=pytest.mark.slow)
        for case in cases
    ]


@pytest.fixture(params=first_fast(CASES), ids=lambda case: f"{case.architecture}: {case.variant}")
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
def model(case: Case) -> Transducer[Any, Any]:
    return case.model()


def sentence(*tokens: int) -> list[int]:
    return [*tokens, EOS]


SOURCE = Sequences.of([sentence(*range(5, 22)), sentence(7, 4, 9), sentence(8)])
TARGET = Sequences.of([sentence(6, 5), sentence(*range(9, 20)), sentence(30, 4, 4, 4)])


def close(first: torch.Tensor, second: torch.Tensor, tolerance: float = 1e-5) -> bool:
    return first.shape == second.shape and torch.allclose(first, second, rtol=0, atol=tolerance)


@pytest.fixture
def attending(model: Transducer[Any, Any]) -> Transducer[Any, Any]:
    if not model.alignment_blocks:
        pytest.skip("does not look at the source")
    return model


@torch.no_grad()
def test_steps_give_what_decoding_at_once_gives(model):
    memory = model.encode(SOURCE)
    at_once = model.decode(TARGET.reads, memory)
    state = model.start(memory)
    for position in range(TARGET.tokens.shape[1]):
        logits, state = model.step(TARGET.reads.tokens[:, position], state)
        assert close(logits, at_once[:, position])


@torch.no_grad()
def test_a_later_target_token_changes_no_earlier_logit(case, model):
    memory = model.encode(SOURCE)
    before = model.decode(TARGET.reads, memory)
    changed = TARGET.reads.tokens.clone()
    changed[:, 4] = (changed[:, 4] + 1) % VOCABULARY
    after = model.decode(Sequences(changed, TARGET.lengths), memory)
    assert torch.equal(before[:, :4], after[:, :4])
    # A classifier writes one label, whatever it reads.
    assert close(before[:, 4:], after[:, 4:]) == (case.task == "classification")


@torch.no_grad()
def test_what_stands_on_source_padding_changes_nothing(model):
    garbage = SOURCE.tokens.masked_fill(~SOURCE.mask, 17)
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    assert torch.equal(expected, model.decode(TARGET.reads, model.encode(Sequences(garbage, SOURCE.lengths))))


@torch.no_grad()
def test_more_padding_changes_nothing(model):
    wider = torch.nn.functional.pad(SOURCE.tokens, (0, 7), value=PAD)
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    assert close(expected, model.decode(TARGET.reads, model.encode(Sequences(wider, SOURCE.lengths))))


@pytest.mark.parametrize("case", first_fast(CASES), ids=lambda case: f"{case.architecture}: {case.variant}")
@settings(max_examples=3, deadline=None)
@given(order=st.permutations(range(3)), repeats=st.integers(1, 3))
@torch.no_grad()
def test_batch_mates_and_their_order_change_nothing(case, order, repeats):
    model = case.model()
    rows = torch.tensor(list(order) * repeats)
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    together = model.decode(TARGET.select(rows).reads, model.encode(SOURCE.select(rows)))
    for place, row in enumerate(rows.tolist()):
        length = TARGET.lengths[row]
        assert close(together[place, :length], expected[row, :length])
    for row in range(len(SOURCE)):
        length = TARGET.lengths[row]
        alone = model.encode(Sequences.of([SOURCE.tokens[row, : SOURCE.lengths[row]].tolist()]))
        decoded = model.decode(TARGET.reads.select(torch.tensor([row])), alone)
        assert close(decoded[0, :length], expected[row, :length])


@torch.no_grad()
def test_select_commutes_with_step(model):
    rows = torch.tensor([2, 0, 0, 1])
    _, state = model.step(TARGET.reads.tokens[:, 0], model.start(model.encode(SOURCE)))
    token = torch.tensor([4, 9, 13])
    logits, after = model.step(token, state)
    selected_logits, selected_after = model.step(token[rows], state.select(rows))
    assert close(selected_logits, logits[rows])
    following, _ = model.step(token[rows], after.select(rows))
    following_selected, _ = model.step(token[rows], selected_after)
    assert close(following, following_selected)


@torch.no_grad()
def test_alignment_rows_sum_to_one_and_vanish_on_padding(case, attending):
    weights = attending.align(TARGET, attending.encode(SOURCE))
    assert weights.shape == (3, TARGET.tokens.shape[1], SOURCE.tokens.shape[1])
    if case.variant in CASES_OF[case.architecture].get("UNNORMALISED", ()):
        assert ((weights > 0) == SOURCE.mask.unsqueeze(1)).all()
    elif case.variant in CASES_OF[case.architecture].get("DAMPED", ()):  # where the paper has it otherwise
        assert (weights.sum(-1) <= 1 + 1e-5).all()
    else:
        assert close(weights.sum(-1), torch.ones(weights.shape[:2]))
    assert (weights.masked_select(~SOURCE.mask.unsqueeze(1)) == 0).all()


@torch.no_grad()
def test_recording_changes_no_output_and_sees_every_attention(model):
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    with recording(model) as record:
        watched = model.decode(TARGET.reads, model.encode(SOURCE))
    assert close(watched, expected)
    for name in model.alignment_blocks:
        assert sum(weights.shape[2] for weights in record[name]) == TARGET.tokens.shape[1]
    assert all((weights >= 0).all() for kept in record.values() for weights in kept)


@torch.no_grad()
def test_outputs_follow_from_altered_weights_and_from_equal_ones_as_before(attending):
    def outputs(alter):
        with altering(attending, attending.source_attentions, alter):
            return attending.decode(TARGET.reads, attending.encode(SOURCE))

    expected = attending.decode(TARGET.reads, attending.encode(SOURCE))
    assert close(outputs(lambda weights: 1.0 * weights), expected)
    assert not close(outputs(lambda weights: weights.roll(1, dims=-1)), expected)
    assert set(attending.alignment_blocks) <= set(attending.source_attentions)


@torch.no_grad()
def test_tracing_changes_no_output_and_hears_at_least_what_recording_does(model):
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    with recording(model) as record:
        model.decode(TARGET.reads, model.encode(SOURCE))
    with tracing(model) as told:
        traced = model.decode(TARGET.reads, model.encode(SOURCE))
    assert close(traced, expected)
    heard = [(one.name, one.what["weights"]) for one in told if "weights" in one.what]
    assert len(heard) == sum(map(len, record.values()))
    for name, kept in record.items():
        assert all(map(torch.equal, kept, [weights for other, weights in heard if other == name]))


@torch.no_grad()
def test_tracing_changes_no_step(model):
    expected, _ = model.step(TARGET.reads.tokens[:, 0], model.start(model.encode(SOURCE)))
    with tracing(model):
        traced, _ = model.step(TARGET.reads.tokens[:, 0], model.start(model.encode(SOURCE)))
    assert close(traced, expected)


def without_chance(case: Case) -> dict[str, float]:
    names = {field.name for field in fields(ARCHITECTURES[case.architecture].config)}
    return {"dropout": 0.0} if "dropout" in names else {}


def test_gradients_reach_every_parameter(case):
    model = case.model(**without_chance(case)).train()
    if isinstance(model, CountingModel):
        pytest.skip("learns by counting")
    with torch.no_grad():  # some begin at zero, and pass nothing back until they have moved
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    with drawing() as draws:
        memory = model.encode(SOURCE)
        log_probabilities = model.decode(TARGET.reads, memory).log_softmax(-1)
    loss = -log_probabilities[TARGET.mask][:, 5:].sum()
    if draws:  # a choice learns from the reward alone
        right = log_probabilities.gather(-1, TARGET.tokens.unsqueeze(-1)).squeeze(-1)
        loss = loss + policy_gradient(draws, right, TARGET.mask)
    penalty = model.penalty(memory) if isinstance(model, Penalised) else None
    (loss if penalty is None else loss + penalty).backward()
    unreached = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    # A bias on keys adds the same number to every score of a query: softmax cannot feel it. A score by location does
    # not ask the keys at all.
    unasked = "attention.key.weight" if case.variant == "location" else "attention.key.bias"
    assert [name for name in unreached if not name.endswith(unasked)] == []


@pytest.fixture
def filled_up() -> Pairs:
    """The same pairs in longer rows, with rows that fill up a shape (data/bucketed.py)."""
    source, target = (
        Sequences(functional.pad(side.tokens, (0, 5, 0, 2)), functional.pad(side.lengths, (0, 2), value=missing))
        for side, missing in ((SOURCE, 1), (TARGET, 0))
    )
    return Pairs(source, target)


def test_rows_that_fill_up_a_shape_change_no_loss_and_no_gradient(case, filled_up):
    model = case.model()
    if isinstance(model, CountingModel | Penalised):
        pytest.skip("is not trained on such batches")
    model.double()
    objective = Objective(model, smoothing=0.1, autocast=False)
    found = []
    for pairs in (Pairs(SOURCE, TARGET), filled_up):
        torch.manual_seed(3)
        loss = objective(pairs)
        found.append((loss, torch.autograd.grad(loss.smoothed, list(model.parameters()), materialize_grads=True)))
    (loss, gradients), (loss_of_filled, gradients_of_filled) = found
    torch.testing.assert_close(torch.stack(loss_of_filled), torch.stack(loss))
    for ours, theirs in zip(gradients_of_filled, gradients, strict=True):
        torch.testing.assert_close(ours, theirs)


@torch.no_grad()
def test_saving_and_loading_is_the_identity(model):
    data = save({name: tensor.clone() for name, tensor in model.state_dict().items()})
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    for parameter in model.parameters():
        parameter.zero_()
    model.load_state_dict(load(data))
    assert torch.equal(model.decode(TARGET.reads, model.encode(SOURCE)), expected)


# Sentences that share a row, for the architectures that can read them so. With `--device cuda` this is where the
# kernels of saccade.kernels work together in a whole model.
PACKING = [case for case in CASES if reads_packed(case.model())]


@pytest.fixture(params=first_fast(PACKING), ids=lambda case: f"{case.architecture}: {case.variant}")
def packing_case(request: pytest.FixtureRequest) -> Case:
    return request.param


def packed(sequences: Sequences, empty: int = 5, absent: int = 2) -> Packed:
    """The same sentences one after another, then empty slots; and places for sentences that are not there."""
    real = sequences.mask
    sentences, positions = real.nonzero().unbind(1)
    row = [sequences.tokens[real], positions, sentences]
    tokens, positions, sentences = (
        torch.nn.functional.pad(values, (0, empty), value=filler)
        for values, filler in zip(row, (PAD, 0, -1), strict=True)
    )
    ends = sequences.lengths.cumsum(0)
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), ends, ends[-1:].expand(absent)])
    return Packed(tokens.unsqueeze(0), positions.unsqueeze(0), Packing(offsets, sentences.unsqueeze(0)))


def changed(sequences: Sequences, which: int) -> Sequences:
    """Other tokens in one of the sentences."""
    tokens = sequences.tokens.clone()
    tokens[which, :-1] = (tokens[which, :-1] + 3) % (VOCABULARY - 4) + 4
    tokens[which, sequences.lengths[which] - 1] = EOS
    return Sequences(tokens, sequences.lengths)


def test_some_architecture_packs():
    assert PACKING


def test_what_is_read_of_packed_sentences_is_what_is_read_of_padded_ones():
    reads = packed(TARGET).reads
    assert torch.equal(reads.tokens[0, : reads.total], TARGET.reads.tokens[TARGET.mask])
    assert reads.tokens[0, reads.packing.offsets[:3]].tolist() == [BOS] * 3


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@torch.no_grad()
def test_packed_sentences_have_the_states_and_logits_of_padded_ones(packing_case, device, dtype):
    model = packing_case.model().to(device, dtype)
    source, target = SOURCE.to(device), TARGET.to(device)
    alone = model.states(target.reads, model.encode(source))[target.mask]
    row = packed(TARGET).to(device)
    memory = model.encode(packed(SOURCE, empty=3).to(device))
    together = model.states(row.reads, memory)
    assert close(together[0, : row.total], alone)
    assert close(model.decode(row.reads, memory)[0, : row.total], model.logits(alone))


def test_packed_sentences_have_the_gradients_of_padded_ones(packing_case, device):
    def gradients(source, target):
        model = packing_case.model(dropout=0.0).train().to(device)
        logits = model.decode(target.reads, model.encode(source))[target.mask]
        share = torch.linspace(-1, 1, logits.numel(), device=device).view(logits.shape)
        (logits.log_softmax(-1) * share).sum().backward()
        return {name: parameter.grad for name, parameter in model.named_parameters()}

    alone = gradients(SOURCE.to(device), TARGET.to(device))
    together = gradients(packed(SOURCE, empty=3).to(device), packed(TARGET).to(device))
    for name, gradient in alone.items():
        assert close(together[name], gradient, 1e-5 * max(1.0, gradient.abs().max().item())), name


@pytest.mark.parametrize("which", range(3))
@torch.no_grad()
def test_sentences_that_share_a_row_do_not_see_each_other(packing_case, device, which):
    model = packing_case.model().to(device)

    def logits(source, target):
        return model.decode(packed(target).to(device).reads, model.encode(packed(source).to(device)))[0]

    before, after = logits(SOURCE, TARGET), logits(changed(SOURCE, which), changed(TARGET, which))
    others = packed(TARGET).packing.sentence[0].to(device) != which
    assert torch.equal(before[others], after[others])
    assert not close(before[~others], after[~others])


@torch.no_grad()
def test_what_stands_in_empty_slots_changes_nothing(packing_case, device):
    model = packing_case.model().to(device)

    def logits(filler):
        sides = [packed(side) for side in (SOURCE, TARGET)]
        source, target = (
            Packed(side.tokens.masked_fill(~side.mask, filler), side.positions, side.packing).to(device)
            for side in sides
        )
        return model.decode(target.reads, model.encode(source))[0, : target.total]

    assert torch.equal(logits(PAD), logits(17))


@torch.no_grad()
def test_more_empty_slots_and_more_absent_sentences_change_nothing(packing_case, device):
    model = packing_case.model().to(device)

    def logits(empty, absent):
        source, target = (packed(side, empty, absent).to(device) for side in (SOURCE, TARGET))
        return model.decode(target.reads, model.encode(source))[0, : target.total]

    assert close(logits(0, 0), logits(11, 3))


@torch.no_grad()
def test_a_projection_is_the_matrix_of_the_logits(model):
    if not isinstance(model, LinearOutput):
        pytest.skip("the last step is more than a matrix")
    states = torch.randn(2, 3, model.width)
    assert close(model.logits(states), states @ model.projection.T)


def test_the_fast_search_finds_what_the_plain_one_finds(model):
    model, config = model.double(), BeamConfig(size=3, nbest=3, extra_length=4)
    found, expected = fast_search(model, SOURCE, config), beam_search(model, SOURCE, config)
    assert [[one.tokens for one in each] for each in found] == [[one.tokens for one in each] for each in expected]
    # Counts and shares of counts stay in single precision, and there the compiled search sums in another order.
    tolerance = 1e-6 if isinstance(model, CountingModel) else 1e-9
    for ours, theirs in zip(found, expected, strict=True):
        assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=tolerance)


@torch.no_grad()
def test_a_gpu_computes_what_a_cpu_computes(model, gpu):
    model = model.double()
    expected = model.decode(TARGET.reads, model.encode(SOURCE))
    source, reads = SOURCE.to(gpu), TARGET.reads.to(gpu)
    # Counts and shares of counts stay in single precision.
    tolerance = 1e-9 if expected.dtype == torch.float64 else 1e-5
    assert close(model.to(gpu).decode(reads, model.encode(source)).cpu(), expected, tolerance)


def test_a_gpu_finds_the_same_when_its_steps_are_replayed_from_a_cuda_graph(model, gpu):
    model, source, config = model.to(gpu), SOURCE.to(gpu), BeamConfig(size=3, nbest=3, extra_length=4)
    expected, searcher = beam_search(model, source, config), Searcher(model)
    for _ in range(2):
        found = searcher(source, config)
        assert [each[0].tokens for each in found] == [each[0].tokens for each in expected]
        for ours, theirs in zip(found, expected, strict=True):
            assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=1e-3)


def test_hypotheses_of_a_sentence_can_be_followed_by_selecting_rows_or_by_reordering(model):
    """`branch`, `reorder` and `keep`, which a state may override together or one by one, give what rows give."""
    model, size = model.double(), 3
    first, second = torch.tensor([[0, 0, 2], [1, 2, 0], [2, 2, 2]]), torch.tensor([[4, 5, 6], [7, 8, 9], [10, 11, 12]])
    kept = torch.tensor([2, 0])
    start = model.start(model.encode(SOURCE))

    def followed(state, reorder, keep):
        _, state = model.step(second.flatten(), state)
        _, state = model.step(first.flatten() + 5, reorder(state, first))
        return model.step(second[kept].flatten(), keep(state, kept, size))[0]

    branched = start.branch(len(SOURCE), size, 4)
    own = followed(branched, type(branched).reorder, type(branched).keep)
    expected = followed(State.branch(start, len(SOURCE), size, 4), State.reorder, State.keep)
    torch.testing.assert_close(own, expected)
