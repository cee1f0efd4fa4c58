"""What is blocked, against the same rules in plain loops."""

from itertools import product

import pytest
import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam_fast import fast_search
from saccade.decoding.ngram_blocking import Blocking, NgramBlocking
from saccade.errors import ConfigError
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

VOCABULARY = 7
LETTERS = torch.tensor([False, False, False, False, True, True, False])


def may_follow(history: tuple[int, ...], token: int, blocking: Blocking, left: int) -> bool:
    if token == EOS:
        return len(history) >= blocking.shortest or left <= 1
    if blocking.longest is not None and len(history) >= blocking.longest:
        return False
    longer = (*history, token)
    for tokens in blocking.sequences:
        if longer[-len(tokens) :] == tokens:
            return False
    if blocking.repetition:
        if history and history[-1] == token and LETTERS[token]:
            return False
        earlier = [history[place : place + 3] for place in range(len(history) - 2)]
        if longer[-3:] in earlier:
            return False
    return True


BLOCKINGS = (
    Blocking(repetition=True),
    Blocking(sequences=((4,), (5, 6), (6, 5, 4))),
    Blocking(shortest=3, longest=4),
    Blocking(repetition=True, sequences=((6, 6),), shortest=2),
)


@pytest.mark.parametrize("length", [0, 1, 2, 4, 5])
def test_what_is_allowed_is_what_plain_loops_allow(length):
    histories = [history for history in product((4, 5, 6), repeat=length)][:: max(3**length // 40, 1)]
    rules = NgramBlocking.of(BLOCKINGS, LETTERS).branch(len(histories))
    for place in range(length):
        tokens = torch.tensor([[history[place] for history in histories]] * len(BLOCKINGS))
        same = torch.arange(len(histories)).repeat(len(BLOCKINGS), 1)
        rules = rules.follow(same, tokens)
    for left in (1, 9):
        allowed = rules.allowed(torch.full((len(BLOCKINGS),), left))
        for row, blocking in enumerate(BLOCKINGS):
            for column, history in enumerate(histories):
                expected = [may_follow(history, token, blocking, left) for token in range(VOCABULARY)]
                assert allowed[row, column].tolist() == expected, (blocking, history)


def test_a_hypothesis_takes_the_history_of_its_parent():
    rules = NgramBlocking.of([Blocking(repetition=True)], LETTERS).branch(2)
    rules = rules.follow(torch.tensor([[0, 1]]), torch.tensor([[4, 5]]))
    rules = rules.follow(torch.tensor([[1, 1]]), torch.tensor([[6, 4]]))
    assert rules.history.tolist() == [[[5, 6], [5, 4]]]
    assert rules.select(torch.tensor([0])).history.shape == (1, 2, 2)


def test_a_search_that_is_blocked_writes_nothing_twice(tiny):
    model, source = tiny(3), Sequences.of([[4, 5, 6, EOS], [7, EOS]])
    letters = torch.ones(model.target_vocabulary, dtype=torch.bool)
    rules = NgramBlocking.of([Blocking(repetition=True, shortest=5)] * 2, letters)
    for hypotheses in fast_search(model, source, BeamConfig(size=3, extra_length=12, nbest=3), None, rules):
        for one in hypotheses:
            assert len(one.tokens) > 5
            assert all(first != second for first, second in zip(one.tokens, one.tokens[1:], strict=False))
            triples = list(zip(one.tokens, one.tokens[1:], one.tokens[2:], strict=False))
            assert len(triples) == len(set(triples))


def test_lengths_that_leave_no_output_are_refused_by_name():
    with pytest.raises(ConfigError, match="`shortest` must be at most `longest`, 3, but is 5"):
        Blocking(shortest=5, longest=3)
    assert Blocking(shortest=3, longest=3)
