"""What crosses from a reader to a writer, for systems of each kind."""

import pytest
import torch

from saccade.sequences import Sequences
from saccade.special_tokens import EOS
from saccade.tracing.encoder_output import encoder_output

SOURCE = [5, 9, 7, 11, 6, EOS]


def crossing(made, source=SOURCE):
    with torch.no_grad():
        return encoder_output(made.model, made.model.encode(Sequences.of([source])), source)


@pytest.mark.parametrize("architecture", ["transformer", "rnnsearch", "luong", "convs2s", "lstmn"])
def test_who_looks_is_handed_a_list_with_a_row_for_each_place(bundle, architecture):
    found = crossing(bundle(architecture))
    assert (found.kind, found.stays) == ("list", None)
    assert found.states.shape[0] == len(SOURCE)


def test_a_list_counts_the_state_to_begin_with_as_well(bundle):
    made = bundle("rnnsearch")
    found = crossing(made)
    assert found.numbers == len(SOURCE) * 2 * made.model_config.width + made.model_config.width


def test_lstm_stacks_hand_over_the_last_state_and_cell_of_every_layer(bundle):
    made = bundle("seq2seq")
    found = crossing(made)
    layers, width = made.model_config.layers, made.model_config.width
    assert (found.kind, tuple(found.states.shape), found.numbers) == ("vector", (2 * layers, width), 2 * layers * width)


def test_what_only_begins_the_writer_does_not_stay(bundle):
    assert crossing(bundle("seq2seq")).stays is False


def test_a_vector_that_enters_every_step_stays(bundle):
    assert crossing(bundle("rnn-encoder-decoder")).stays is True


def test_the_states_of_a_vector_are_its_numbers(bundle):
    made = bundle("rnn-encoder-decoder")
    found = crossing(made)
    with torch.no_grad():
        context = made.model.encode(Sequences.of([SOURCE])).context
    assert torch.equal(found.states, context)


def test_a_vector_is_as_large_for_any_source(bundle):
    made = bundle("seq2seq")
    assert crossing(made).numbers == crossing(made, [5, EOS]).numbers


def test_a_source_of_one_token_is_still_known_to_be_a_list(bundle):
    assert crossing(bundle("transformer"), [EOS]).kind == "list"


def test_a_language_model_is_handed_nothing(bundle):
    found = crossing(bundle("rnn-language-model"), [EOS])
    assert (found.kind, found.states, found.numbers) == ("none", None, 0)
