import pytest
import torch
from beartype import beartype
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jaxtyping import jaxtyped

pytest.importorskip("triton", reason="triton is not installed: no kernels here")

from saccade.kernels import varlen_attention as module
from saccade.kernels.projection import joined_columns
from saccade.kernels.random_bits import draw_seed

checked = jaxtyped(typechecker=beartype)
varlen_attention, reference = checked(module.varlen_attention), checked(module.reference)
adjacent_gradients = checked(module.adjacent_gradients)

HEADS, KEY_WIDTH, VALUE_WIDTH = 2, 5, 19
SEED = 11


def offsets_of(lengths, device):
    return torch.tensor([0, *lengths], device=device).cumsum(0)


def heads(slots, width, device, seed, number=HEADS):
    """As projections give them: slots before heads in memory."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(slots, number, width, generator=generator).to(device).transpose(0, 1)


class Case:
    """Queries and keys of some lengths, with empty slots at the end of both rows."""

    def __init__(self, device, queries, keys=None, causal=False, dropout=0.0, widths=(KEY_WIDTH, VALUE_WIDTH)):
        keys = queries if keys is None else keys
        self.offsets = offsets_of(queries, device), offsets_of(keys, device)
        self.slots, self.key_slots = sum(queries) + 3, sum(keys) + 7
        rows = zip((self.slots, self.key_slots, self.key_slots), (widths[0], *widths), strict=True)
        self.operands = [heads(slots, width, device, seed) for seed, (slots, width) in enumerate(rows)]
        self.gradient = heads(self.slots, widths[1], device, 5)
        self.causal, self.dropout = causal, dropout

    def expected(self):
        """By the equation in float64, with the coins that the programs tossed."""
        torch.manual_seed(SEED)
        seed = draw_seed(self.gradient.device)
        leaves = [operand.detach().double().requires_grad_() for operand in self.operands]
        context = reference(*leaves, *self.offsets, self.causal, self.dropout, seed)
        context.backward(self.gradient.double())
        return [context.detach(), *(leaf.grad for leaf in leaves)]

    def found(self, seed=SEED, dtype=torch.float32):
        leaves = [operand.to(dtype).detach().requires_grad_() for operand in self.operands]
        torch.manual_seed(seed)
        context = varlen_attention(*leaves, *self.offsets, self.causal, self.dropout)
        context.backward(self.gradient.to(dtype))
        return [context.detach(), *(leaf.grad for leaf in leaves)]


# What fits a tile of 32, what fits one of 64, what fits none; and one more or less than a tile.
SELF = {"small": [13, 1], "edges": [32, 33], "middle": [3, 64], "long": [65], "several tiles": [131]}
ACROSS = {
    "small": ([3, 17], [11, 2]),
    "longer keys": ([5, 2], [33, 65]),
    "longer queries": ([71, 37], [4, 9]),
    "both long": ([67], [129]),
}


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("causal", [False, True], ids=["whole", "causal"])
@pytest.mark.parametrize(
    "lengths",
    [
        pytest.param(lengths, id=name, marks=[pytest.mark.slow] * (name in ("edges", "long")))
        for name, lengths in SELF.items()
    ],
)
def test_values_and_gradients_within_a_sentence_are_those_of_the_equation(device, assert_near, lengths, causal):
    case = Case(device, lengths, causal=causal)
    assert_near(case.found(), case.expected(), 2e-6)


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize(("queries", "keys"), ACROSS.values(), ids=ACROSS)
def test_values_and_gradients_across_two_packings_are_those_of_the_equation(device, assert_near, queries, keys):
    case = Case(device, queries, keys)
    assert_near(case.found(), case.expected(), 2e-6)


@pytest.mark.usefixtures("poison")
@given(
    lengths=st.lists(st.tuples(st.integers(1, 70), st.integers(1, 70)), min_size=1, max_size=3),
    absent=st.integers(0, 2),
    widths=st.tuples(st.integers(1, 35), st.integers(1, 35)),
    across=st.booleans(),
    dropout=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_they_are_at_any_shape(device, assert_near, lengths, absent, widths, across, dropout):
    queries, keys = (list(side) + [0] * absent for side in zip(*lengths, strict=True))
    case = Case(device, queries, keys if across else None, not across, dropout, widths)
    assert_near(case.found(), case.expected(), 5e-6)


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize(
    "widths",
    [
        pytest.param((128, 128), id="128"),
        pytest.param((256, 256), id="256", marks=pytest.mark.slow),
        pytest.param((200, 16), id="keys alone", marks=pytest.mark.slow),
    ],
)
def test_wide_heads_take_smaller_tiles(device, assert_near, widths):
    case = Case(device, [5, 16, 17, 40], causal=True, widths=widths)
    assert_near(case.found(), case.expected(), 5e-6)


@pytest.mark.parametrize(
    ("width", "dtype", "fits"),
    [
        (256, torch.float32, True),
        (257, torch.float32, False),
        (512, torch.bfloat16, True),
        (600, torch.bfloat16, False),
    ],
)
def test_heads_that_no_tile_holds_are_told(width, dtype, fits):
    states = torch.empty(1, 3, width, dtype=dtype)
    assert module.heads_fit(states, states) is fits


@pytest.mark.usefixtures("poison")
def test_places_of_absent_sentences_are_skipped(device):
    with_absent, without = Case(device, [7, 0, 0, 0]), Case(device, [7])
    for one, other in zip(with_absent.found(), without.found(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.usefixtures("poison")
@pytest.mark.parametrize("lengths", [([3, 17], [11, 2]), ([40], [35]), ([67], [70])], ids=["32", "64", "beyond"])
def test_slots_of_no_sentence_take_nothing_and_give_nothing(device, lengths):
    case = Case(device, *lengths, dropout=0.3)
    context, by_query, by_keys, by_values = case.found()
    used, keys_used = (int(offsets[-1]) for offsets in case.offsets)
    for tensor, end in ((context, used), (by_query, used), (by_keys, keys_used), (by_values, keys_used)):
        assert tensor.shape[1] > end
        assert (tensor[:, end:] == 0).all()


@pytest.mark.parametrize(
    ("lengths", "causal"),
    [([13, 5], False), ([41], True), ([67], False), ([67], True)],
    ids=["32", "64", "beyond", "causal"],
)
def test_dropout_is_that_of_the_equation_with_the_same_seed(device, assert_near, lengths, causal):
    case = Case(device, lengths, causal=causal, dropout=0.4)
    assert_near(case.found(), case.expected(), 5e-6)


def test_another_seed_drops_others(device):
    case = Case(device, [13], dropout=0.4)
    one, same, other = (case.found(seed)[0] for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_every_sentence_and_head_drops_for_itself(device):
    """Equal sentences in equal heads differ only by dropout."""
    case = Case(device, [11, 11], dropout=0.4)
    case.operands = [operand[:1, :11].repeat(HEADS, 3, 1)[:, : operand.shape[1]] for operand in case.operands]
    context = case.found()[0]
    parts = [context[head, start : start + 11] for head in range(HEADS) for start in (0, 11)]
    assert all(not torch.equal(one, other) for place, one in enumerate(parts) for other in parts[:place])


def test_sentences_of_a_row_do_not_see_each_other(device):
    case = Case(device, [13, 40, 67])
    before = case.found()
    for operand in case.operands:
        operand[:, 13:53] += 1
    for one, other in zip(before, case.found(), strict=True):
        assert torch.equal(one[:, :13], other[:, :13])
        assert torch.equal(one[:, 53:120], other[:, 53:120])
        assert not torch.equal(one[:, 13:53], other[:, 13:53])


def test_large_scores_do_not_overflow(device, assert_near):
    case = Case(device, [13, 40], causal=True)
    case.operands[0] = case.operands[0] * 300
    assert_near(case.found(), case.expected(), 1e-4)  # of scores near a thousand, float32 knows the fourth digit


def test_a_gradient_that_lies_otherwise_in_memory_is_read_right(device):
    case = Case(device, [13, 5])
    expected = case.found()
    case.gradient = case.gradient.transpose(1, 2).contiguous().transpose(1, 2)
    assert case.gradient.stride(2) != 1
    for one, other in zip(case.found(), expected, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("lengths", [[13, 5], [41], [67]], ids=["32", "64", "beyond"])
def test_bfloat16_is_near(gpu, assert_near, lengths):
    """Triton's interpreter has no products of bfloat16."""
    case = Case(gpu, lengths, causal=True, dropout=0.3)
    case.operands = [operand.bfloat16().float() for operand in case.operands]
    case.gradient = case.gradient.bfloat16().float()
    found = case.found(dtype=torch.bfloat16)
    assert {tensor.dtype for tensor in found} == {torch.bfloat16}
    # 8 bits of mantissa; weights, context and slopes are each rounded once.
    assert_near(found, case.expected(), 2**-6)


def test_the_heads_of_a_slot_lie_together_so_that_joining_them_moves_nothing(device):
    context = Case(device, [13, 5]).found()[0]
    assert context.transpose(0, 1).is_contiguous()


def rows(tensor):
    """Heads joined again, as the backward pass of a projection sees them."""
    return tensor.transpose(0, 1).flatten(1)


def split(joined, widths):
    return [
        piece.view(len(joined), HEADS, width).transpose(0, 1)
        for piece, width in zip(joined.split([HEADS * width for width in widths], dim=1), widths, strict=True)
    ]


def test_room_for_the_gradients_of_one_product_is_one_matrix(device):
    widths = KEY_WIDTH, KEY_WIDTH, VALUE_WIDTH
    operands = split(torch.randn(17, HEADS * sum(widths), device=device), widths)
    room = adjacent_gradients(*operands)
    assert [piece.shape for piece in room] == [operand.shape for operand in operands]
    assert joined_columns([rows(piece) for piece in room]).data_ptr() == room[0].data_ptr()
    assert room[0].data_ptr() != operands[0].data_ptr()


def test_room_for_the_gradients_of_keys_and_values_of_another_product_is_another_matrix(device):
    (query,) = split(torch.randn(17, HEADS * KEY_WIDTH, device=device), [KEY_WIDTH])
    keys, values = split(torch.randn(23, HEADS * (KEY_WIDTH + VALUE_WIDTH), device=device), [KEY_WIDTH, VALUE_WIDTH])
    by_query, by_keys, by_values = adjacent_gradients(query, keys, values)
    assert (by_query.shape, by_keys.shape, by_values.shape) == (query.shape, keys.shape, values.shape)
    assert joined_columns([rows(by_keys), rows(by_values)]).data_ptr() == by_keys.data_ptr()
    assert by_query.untyped_storage().data_ptr() != by_keys.untyped_storage().data_ptr()


def test_gradients_of_one_product_come_back_side_by_side(device):
    widths = KEY_WIDTH, KEY_WIDTH, VALUE_WIDTH
    joined = torch.randn(20, HEADS * sum(widths), device=device)
    operands = [operand.requires_grad_() for operand in split(joined, widths)]
    offsets = offsets_of([13, 5], device)
    context = varlen_attention(*operands, offsets, offsets)
    gradients = torch.autograd.grad(context, operands, torch.randn_like(context))
    assert joined_columns([rows(gradient) for gradient in gradients]).data_ptr() == gradients[0].data_ptr()
