"""How far words are apart: the page's search over places, against rules written down here and against models.

The functions run in the page, where the served modules are; what they must give is computed here.
"""

import math
from copy import deepcopy

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.sequences import Sequences
from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace

SIDE = {
    "moves": "steps",
    "layers": 1,
    "waits": True,
    "kernels": [],
    "centred": True,
    "reach": None,
    "both": False,
    "orders": [],
    "feeds": False,
}
SHAPE = {"bridge": "vector", "always": False, "carries": False, "window": None}
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
PLACES = st.tuples(st.integers(2, 23), st.integers(0, 22), st.integers(0, 22)).filter(
    lambda drawn: max(drawn[1:]) < drawn[0] and drawn[1] != drawn[2]
)


def side(**changes):
    return SIDE | changes


def chains(length, *backwards):
    """Orders of reading: from left to right, or from right to left."""
    return [list(range(length))[:: -1 if back else 1] for back in backwards]


def shape(reading, **changes):
    return SHAPE | {"reading": reading, "writing": side()} | changes


@pytest.fixture(scope="module")
def call(browser, server):
    """Calls an exported function of a module of the page."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server)

    def called(name, *arguments):
        script = "async ([name, given]) => (await import('page/ancestors/signal-path'))[name](...given)"
        return page.evaluate(script, [name, list(arguments)])

    yield called
    context.close()


@pytest.mark.slow
@given(PLACES, st.booleans())
@QUICK
def test_one_chain_takes_a_step_for_each_place(call, places, reversed):
    length, first, second = places
    found = call("meeting", shape(side(orders=chains(length, reversed))), length, first, second)
    assert found["hops"] == abs(first - second)


@given(PLACES)
@QUICK
def test_two_chains_meet_in_the_middle(call, places):
    length, first, second = places
    found = call("meeting", shape(side(orders=chains(length, False, True))), length, first, second)
    assert found["hops"] == math.ceil(abs(first - second) / 2)


@given(PLACES, st.lists(st.integers(2, 5), min_size=1, max_size=5), st.booleans())
@QUICK
def test_windows_meet_in_the_first_layer_that_is_wide_enough(call, places, kernels, centred):
    length, first, second = places
    if not centred and sum(kernel - 1 for kernel in kernels) >= length:
        kernels = [2]
    reading = side(moves="windows", kernels=kernels, layers=len(kernels), centred=centred, waits=False)
    found = call("meeting", shape(reading), length, first, second)
    seen, expected = 0, None
    for layer, kernel in enumerate(kernels, start=1):
        seen += kernel - 1
        if seen >= abs(first - second):
            expected = layer
            break
    assert (found and found["hops"]) == expected


@given(PLACES)
@QUICK
def test_a_look_is_one_hop_at_any_distance(call, places):
    length, first, second = places
    reading = side(moves="looks", layers=3, waits=False, both=True)
    assert call("meeting", shape(reading), length, first, second)["hops"] == 1


@given(PLACES, st.integers(1, 4))
@QUICK
def test_restricted_looks_come_from_both_ends(call, places, reach):
    length, first, second = places
    reading = side(moves="looks", layers=9, waits=False, both=True, reach=reach)
    found = call("meeting", shape(reading), length, first, second)
    needed = math.ceil(math.ceil(abs(first - second) / 2) / reach)
    assert (found and found["hops"]) == (needed if needed <= 9 else None)


@given(st.integers(1, 23), st.integers(0, 22), st.integers(0, 11), st.booleans(), st.booleans())
@QUICK
def test_through_a_vector_a_word_goes_to_the_end_over_and_along(call, length, place, target, always, reversed):
    place = min(place, length - 1)
    found = call("crossing", shape(side(orders=chains(length, reversed)), always=always), length, place, target)
    to_the_end = place if reversed else length - 1 - place
    assert found["hops"] == to_the_end + 1 + (0 if always else target)


@pytest.mark.core
def test_a_look_crosses_in_one_hop(call):
    found = call("crossing", shape(side(orders=chains(11, False, True)), bridge="looks"), 11, 3, 7)
    assert found["hops"] == 1
    assert found["ways"][0][0] == {"side": "source", "place": 3, "level": 0}


@pytest.mark.core
def test_what_must_wait(call):
    stepping = side(layers=3)
    assert call("waiting", shape(stepping) | {"writing": side(layers=2, feeds=True)}, 11, 7) == {
        "reading": 11 + 3 - 1,
        "training": 7 * 2,
        "writing": 7 * 2,
    }
    at_once = side(moves="looks", layers=6, waits=False, both=True)
    assert call("waiting", shape(at_once) | {"writing": at_once}, 11, 7) == {
        "reading": 6,
        "training": 6,
        "writing": 7 * 6,
    }


# What a model can know, found by putting another word in a word's place and looking at what changes.

TEXT = "Nobody knows why the birds came back."
SYSTEMS = {
    "a window of attention": ("transformer", {"attention_window": 1}),
    "attention": ("transformer", {}),
    "chains both ways": ("rnnsearch", {}),
    "a local look": ("luong", {"alignment": "local-m", "reach": 1, "input_feeding": False}),
    "windows": ("convs2s", {}),
    "windows folded and unfolded": ("rctm", {"width": 12}),
    "one vector from windows": ("rctm", {"width": 12, "source": "sentence"}),
    "one vector at every word": ("rnn-encoder-decoder", {"width": 12}),
    "one vector at the beginning": ("seq2seq", {"width": 12, "layers": 2}),
    "a tape": ("lstmn", {"width": 12}),
}
SEARCH = """async (trace) => {
    const { shapeOf } = await import("page/ancestors/connections");
    const { crossing, meeting } = await import("page/ancestors/signal-path");
    const shape = shapeOf(trace);
    const [source, target] = [trace.axes.source.tokens.length, trace.axes.target.tokens.length];
    const all = (count, make) => Array.from({ length: count }, (_, i) => make(i));
    return {
        met: all(source, (a) => all(source, (b) => meeting(shape, source, a, b) !== null)),
        crossed: all(source, (place) => all(target, (t) => crossing(shape, source, place, t) !== null)),
    };
}"""


@pytest.fixture(scope="module")
def searched(browser, server, make_model):
    """What the page's search finds for a system, and the model with the tokens it read."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server)
    known = {}

    def found(name):
        if name not in known:
            architecture, changes = SYSTEMS[name]
            model = make_model(architecture, **changes)
            made = trace(
                model.traceable, TEXT, TraceOptions(force="The cat drank the milk.", detail=("memory", "weights"))
            )
            tokens = {side: [token["id"] for token in made["axes"][side]["tokens"]] for side in ("source", "target")}
            known[name] = page.evaluate(SEARCH, made), gentle(model.bundle.model), tokens
        return known[name]

    yield found
    context.close()


def gentle(model):
    """The same wiring with small weights in double precision, so that no change is lost in a saturated softmax."""
    copy = deepcopy(model).double()
    for parameter in copy.parameters():
        if parameter.dim() > 1:
            parameter.data.mul_(0.2)
    return copy


def other(tokens, place):
    return [*tokens[:place], 5 if tokens[place] != 5 else 6, *tokens[place + 1 :]]


def heard(function, tokens):
    """For each place of the source: where the rows of what a function makes of it change with the word there."""
    with torch.no_grad():
        before = function(tokens)
        changed = [function(other(tokens, place)) for place in range(len(tokens) - 1)]  # the end stays the end
    return [(after != before).flatten(1).any(1).tolist() for after in changed]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_word_reaches_a_place_of_the_target_exactly_if_another_word_there_changes_it(searched, name):
    found, model, tokens = searched(name)
    reads = Sequences.of([tokens["target"]]).reads
    expected = heard(lambda source: model.decode(reads, model.encode(Sequences.of([source])))[0], tokens["source"])
    assert found["crossed"][:-1] == expected


@pytest.mark.parametrize("name", ["a window of attention", "attention", "chains both ways", "windows", "a tape"])
def test_two_words_meet_exactly_if_some_state_changes_with_both(searched, name):
    found, model, tokens = searched(name)

    def states(source):
        made = [one for one in model.encode(Sequences.of([source])).tensors() if one.is_floating_point()]
        return next(one[0] for one in made if one.dim() == 3)

    known = heard(states, tokens["source"])
    places = range(len(known))
    expected = [
        [a == b or any(x and y for x, y in zip(known[a], known[b], strict=True)) for b in places] for a in places
    ]
    assert [row[: len(places)] for row in found["met"][: len(places)]] == expected
