"""The compiled step computes what the readable one computes, and for each row alone."""

import contextlib
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention.recording import recording
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.searcher import Searcher
from saccade.kernels import cpu_library, int8_available, transformer_cpu
from saccade.kernels.int8_product import quantise, reference
from saccade.layers.adapters import add_adapters
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.models.transformer_fast import can_compile
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

VOCABULARY = 37
INT8 = cpu_library.build() is None and int8_available()
in_int8 = pytest.mark.skipif(not INT8, reason="products of bytes need ARM's instructions for them")


@pytest.fixture(scope="module", autouse=True)
def _library():
    if problem := cpu_library.build():
        pytest.skip(f"the compiled step could not be built: {problem}")
    cpu_library.load.cache_clear()


def transformer(seed: int = 1, vocabulary: int = VOCABULARY, **changes) -> Transformer:
    sizes = {"encoder_layers": 1, "decoder_layers": 2, "width": 22, "inner_width": 19, "heads": 2, "maximum_length": 31}
    config = TransformerConfig(**{**sizes, "tie": "none", **changes})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(config, vocabulary, vocabulary).eval()
        with torch.no_grad():
            # Biases and norms begin as zeros and ones, which would hide that one is left out.
            for parameter in model.parameters():
                if parameter.dim() == 1:
                    parameter.add_(torch.randn_like(parameter) / 3)
    return model.requires_grad_(False)


def sources(lengths: list[int], seed: int = 5, vocabulary: int = VOCABULARY) -> Sequences:
    generator = torch.Generator().manual_seed(seed)
    return Sequences.of([[*torch.randint(4, vocabulary, (n,), generator=generator).tolist(), EOS] for n in lengths])


@torch.inference_mode()
def logits_of_steps(model: Transformer, source: Sequences, size: int, steps: int, seed: int = 3) -> list[torch.Tensor]:
    """The logits of a few steps between which hypotheses are reordered, and a third of the sentences leave."""
    generator = torch.Generator().manual_seed(seed)
    state = model.start(model.encode(source)).branch(len(source), size, steps)
    tokens, found = torch.full((len(source), size), BOS), []
    for step in range(steps):
        logits, state = model.step(tokens.flatten(), state)
        found.append(logits)
        parents = torch.randint(size, (len(tokens), size), generator=generator)
        state, tokens = state.reorder(parents), torch.randint(EOS, VOCABULARY, parents.shape, generator=generator)
        if step == 1:
            left = torch.arange(0, len(tokens), 1 + (len(tokens) > 2))
            state, tokens = state.keep(left, size), tokens[left]
    return found


configurations = st.fixed_dictionaries(
    {
        "heads": st.sampled_from([1, 2, 3]),
        "key_width": st.sampled_from([1, 5, 8, 17]),
        "value_width": st.sampled_from([1, 7, 16]),
        "width": st.sampled_from([1, 6, 16, 33]),
        "inner_width": st.sampled_from([1, 13, 32, 50]),
        "norm": st.sampled_from(["post", "pre", "residual", "plain"]),
        "activation": st.sampled_from(["relu", "silu", "gelu", "quick_gelu"]),
        "positions": st.sampled_from(["sinusoidal", "learned"]),
        "tie": st.sampled_from(["all", "none"]),
        "attention_bias": st.booleans(),
        "output_bias": st.booleans(),
        "start_of_target": st.sampled_from(["token", "zero"]),
        "scale_embedding": st.booleans(),
        "attention_window": st.sampled_from([None, None, 2]),
    }
)


def compare(config, lengths, size, seed, threads):
    model, fast, source = transformer(seed, **config), transformer(seed, **config), sources(lengths, seed)
    fast.compile_search()
    assert fast._compiled is not None
    with torch.inference_mode():
        states, expected = fast.encode(source).states, model.encode(source).states
    assert torch.allclose(states[source.mask], expected[source.mask], rtol=1e-4, atol=1e-4)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = logits_of_steps(fast, source, size, 5)
    finally:
        torch.set_num_threads(before)
    for one, other in zip(ours, logits_of_steps(model, source, size, 5), strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-4)


cases = given(
    config=configurations,
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=5),
    size=st.integers(1, 8),
    seed=st.integers(0, 999),
    threads=st.integers(1, 3),
)


@settings(max_examples=6, deadline=None)
@cases
def test_logits_are_those_of_the_readable_step(config, lengths, size, seed, threads):
    compare(config, lengths, size, seed, threads)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@cases
def test_logits_are_those_of_the_readable_step_for_many_models(config, lengths, size, seed, threads):
    compare(config, lengths, size, seed, threads)


def rounded_as_stored(model: Transformer) -> Transformer:
    """Every matrix as a model stored in int8 has it."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 2:
                levels, scales = quantise(parameter)
                parameter.copy_(levels * scales.unsqueeze(1))
    return model


@pytest.mark.skipif(cpu_library.build() is not None or not transformer_cpu.reads_bytes(), reason="reads no bytes here")
@settings(max_examples=12, deadline=None)
@given(
    config=configurations,
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=5),
    size=st.integers(1, 8),
    seed=st.integers(0, 999),
)
def test_weights_read_as_bytes_change_no_bit(config, lengths, size, seed):
    bytes_, floats = (rounded_as_stored(transformer(seed, **config)) for _ in range(2))
    bytes_.compile_search()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transformer_cpu, "stored_levels", lambda rows: None)  # noqa: ARG005
        floats.compile_search()
    assert all(layer.outer.bytes for layer in bytes_._compiled._decoder.layers[:2])
    assert not any(layer.outer.bytes for layer in floats._compiled._decoder.layers[:2])
    source = sources(lengths, seed)
    for one, other in zip(*(logits_of_steps(model, source, size, 5) for model in (bytes_, floats)), strict=True):
        assert torch.equal(one, other)


def by_bytes(states: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    return reference(states.reshape(-1, states.shape[-1]), weight, bias).view(*states.shape[:-1], -1)


@in_int8
@settings(max_examples=6, deadline=None)
@cases
def test_logits_in_int8_are_those_of_the_readable_step_with_products_of_bytes(config, lengths, size, seed, threads):
    model, fast, source = transformer(seed, **config), transformer(seed, **config), sources(lengths, seed)
    fast.compile_search(int8=True)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        ours = logits_of_steps(fast, source, size, 5)
    finally:
        torch.set_num_threads(before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn.functional, "linear", by_bytes)
        theirs = logits_of_steps(model, source, size, 5)
    for one, other in zip(ours, theirs, strict=True):
        # A number that lies between two levels, but for the last bits of a float, may be rounded to either.
        assert (one - other).abs().median() < 1e-4 * (1 + other.abs().max())
        assert torch.allclose(one, other, rtol=0.1, atol=0.1 * float(other.abs().max()))


@settings(max_examples=6, deadline=None)
@given(
    size=st.integers(1, 8),
    batch=st.integers(2, 40),
    threads=st.integers(1, 3),
    norm=st.sampled_from(["pre", "post"]),
    int8=st.sampled_from([False, True] if INT8 else [False]),
)
def test_a_row_has_the_same_bits_whatever_the_other_rows(size, batch, threads, norm, int8):
    model, source = transformer(norm=norm), sources([place % 7 for place in range(batch)])
    model.compile_search(int8)
    with torch.inference_mode():
        memory = model.encode(source)
        tokens = torch.arange(4, 4 + size)

        def two_steps(rows: torch.Tensor) -> torch.Tensor:
            state = model.start(memory.select(rows)).branch(len(rows), size, 2)
            _, state = model.step(torch.full((len(rows) * size,), BOS), state)
            return model.step(tokens.repeat(len(rows)), state)[0].view(len(rows), size, -1)

        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            together = two_steps(torch.arange(batch))
            for place in (0, batch - 1):
                alone, length = torch.tensor([place]), int(source.lengths[place])
                assert torch.equal(two_steps(alone)[0], together[place])
                states = model.encode(source.select(alone)).states
                assert torch.equal(states[0, :length], memory.states[place, :length])
        finally:
            torch.set_num_threads(before)


@settings(max_examples=20, deadline=None)
@given(size=st.integers(1, 5), batch=st.integers(1, 6), seed=st.integers(0, 999), compiled_throughout=st.booleans())
def test_empty_places_change_nothing_for_the_others(size, batch, seed, compiled_throughout):
    """Places that read PAD are left out, whichever they are, and their descendants stay empty."""
    generator = torch.Generator().manual_seed(seed)
    model, source = transformer(seed), sources([place % 5 for place in range(batch)])
    empty = torch.zeros(batch, size, dtype=torch.bool)
    model.compile_search()
    with torch.inference_mode():
        states = [model.start(model.encode(source)).branch(batch, size, 5) for _ in range(2)]
        full = torch.full((batch, size), BOS)
        for step in range(5):
            some = full.masked_fill(empty, PAD)
            # What torch would multiply by zero is finite in empty places too.
            readable = contextlib.nullcontext() if compiled_throughout or step != 4 else recording(model)
            with readable:
                (expected, states[0]), (found, states[1]) = (
                    model.step(tokens.flatten(), state) for tokens, state in zip((full, some), states, strict=True)
                )
            assert torch.equal(found.view(batch, size, -1)[~empty], expected.view(batch, size, -1)[~empty])
            if compiled_throughout:
                assert not found.view(batch, size, -1)[empty].any()
            parents = torch.randint(size, (batch, size), generator=generator)
            states = [state.reorder(parents) for state in states]
            full = torch.randint(EOS, VOCABULARY, (batch, size), generator=generator)
            empty = empty.gather(1, parents) | (torch.rand(batch, size, generator=generator) < 0.3)


@settings(max_examples=3, deadline=None)
@given(
    seed=st.integers(0, 999),
    lengths=st.lists(st.integers(0, 7), min_size=1, max_size=5),
    size=st.integers(1, 6),
    norm=st.sampled_from(["pre", "post"]),
)
def test_a_search_finds_what_the_readable_search_finds(seed, lengths, size, norm):
    model, source = transformer(seed, 131, norm=norm), sources(lengths, seed)
    config = BeamConfig(size=size, nbest=size, extra_length=6)
    searcher = Searcher(model)
    assert searcher.model._compiled is not None
    for ours, theirs in zip(searcher(source, config), beam_search(model, source, config), strict=True):
        assert [one.tokens for one in ours] == [one.tokens for one in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert math.isclose(one.log_probability, other.log_probability, abs_tol=1e-4)


@in_int8
@pytest.mark.parametrize("lines", [1, 3])
def test_an_output_in_int8_is_the_same_in_every_batch(lines):
    model, source = transformer(7, 131), sources([place % 9 for place in range(14)], vocabulary=131)
    searcher, config = Searcher(model, torch.int8), BeamConfig(size=3, extra_length=6)
    together = searcher(source, config)
    for first in range(0, 14, lines):
        rows = torch.arange(first, min(first + lines, 14))
        assert searcher(source.select(rows), config) == together[first : first + lines]


def test_models_that_it_does_not_know_stay_with_torch():
    assert can_compile(transformer())
    assert not can_compile(transformer(score="additive"))
    assert not can_compile(transformer().double())
    adapted, hooked = transformer(), transformer()
    add_adapters(adapted, 2)
    hooked.decoder.layers[1].feedforward.register_forward_hook(lambda *_: None)
    assert not can_compile(adapted)
    assert not can_compile(hooked)


def test_without_the_library_every_model_stays_with_torch(monkeypatch):
    monkeypatch.setattr(cpu_library, "load", lambda: None)
    assert not can_compile(transformer())


def test_a_step_that_is_recorded_stays_with_torch():
    model, source = transformer(), sources([3, 1])
    model.compile_search()
    expected = logits_of_steps(model, source, 3, 4)
    with recording(model) as record:
        found = logits_of_steps(model, source, 3, 4)
    assert len(record["decoder.layers.1.cross_attention"]) == 4
    assert all(torch.allclose(one, other, atol=1e-4) for one, other in zip(found, expected, strict=True))


def test_threads_share_a_step_and_steps_of_several_threads_do_not_disturb_each_other():
    # Large enough for three threads to take part.
    model = transformer(width=96, heads=4, inner_width=192, vocabulary=3001)
    model.compile_search()
    batches = [sources([4, 2, 6, 3], seed) for seed in range(4)]
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        expected = [logits_of_steps(model, batch, 4, 4) for batch in batches]
        torch.set_num_threads(3)
        shared = [logits_of_steps(model, batch, 4, 4) for batch in batches]
        with ThreadPoolExecutor(4) as pool:
            at_once = list(pool.map(lambda batch: logits_of_steps(model, batch, 4, 4), batches * 3))
    finally:
        torch.set_num_threads(before)
    for ours, theirs in zip([*shared, *at_once], expected * 4, strict=True):
        assert all(torch.equal(one, other) for one, other in zip(ours, theirs, strict=True))


THREADLESS = """
import resource

import torch
from tests.unit.models.test_transformer_fast import logits_of_steps, sources, transformer

model = transformer(width=96, heads=4, inner_width=192, vocabulary=3001)
model.compile_search()
torch.set_num_threads(1)
expected = logits_of_steps(model, sources([4, 2, 6, 3]), 4, 4)
torch.get_num_threads = lambda: 3  # torch itself has no more threads
with open("/proc/self/statm") as sizes:
    used = int(sizes.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**31, resource.RLIM_INFINITY))
found = logits_of_steps(model, sources([4, 2, 6, 3]), 4, 4)
assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a thread's stack is set as Linux has it")
def test_where_no_thread_can_be_had_one_does_all_the_work():
    import resource

    kilobytes, (_, most) = 2**22, resource.getrlimit(resource.RLIMIT_STACK)  # more than is left for a stack
    if most != resource.RLIM_INFINITY and most < kilobytes * 1024:
        pytest.skip("stacks may not be so large here")
    started = ["sh", "-c", f'ulimit -s {kilobytes} && exec "$0" -c "$1"', sys.executable, THREADLESS]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(started, env=one_thread, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
