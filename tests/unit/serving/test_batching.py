import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.decoding.hypothesis import Hypothesis
from saccade.sequences import EOS
from saccade.serving.batching import USUAL_LENGTH, SearchInput, batches, search_in_batches

tokens = st.lists(st.integers(5, 29), max_size=7)


@given(st.lists(st.integers(1, 50)), st.integers(1, 60))
def test_batches_hold_everything_once_and_stay_within_the_budget(costs, budget):
    made = list(batches(costs, budget))
    assert sorted(index for batch in made for index in batch) == list(range(len(costs)))
    for batch in made:
        assert len(batch) == 1 or len(batch) * max(costs[index] for index in batch) <= budget


@given(st.lists(st.tuples(tokens, tokens), max_size=11), st.integers(1, 60))
def test_results_come_back_in_the_order_of_the_inputs(rows, batch_tokens):
    asked = [SearchInput(tuple(source), tuple(prefix)) for source, prefix in rows]

    def echo(batch, source, prefix):
        found = []
        for row, index in enumerate(batch):
            tokens = source.tokens[row, : source.lengths[row]].tolist()
            begin = () if prefix is None else tuple(prefix.tokens[row, : prefix.lengths[row]].tolist())
            assert tokens == [*asked[index].tokens, EOS]
            assert begin == asked[index].prefix
            found.append([Hypothesis((*begin, *tokens), 0.0, 0.0, None, True)])
        return found

    found = search_in_batches(asked, echo, torch.device("cpu"), batch_tokens)
    assert [best.tokens for (best,) in found] == [(*one.prefix, *one.tokens, EOS) for one in asked]


def test_an_input_without_a_source_costs_what_is_likely_to_be_written():
    assert SearchInput((7, 8)).cost == 3
    assert SearchInput((), (7, 8)).cost == 2 + USUAL_LENGTH
