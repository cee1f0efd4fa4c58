"""Kalchbrenner and Blunsom 2013, written out column by column and number by number, against saccade's model."""

import math

import pytest
import torch
from tests.papers.plain_positions import TARGETS as THREE
from tests.papers.plain_positions import assert_all_at_once, assert_step_by_step, logistic, numbers_of

from saccade.models.rctm import RCTM, RCTMConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

SOURCES = [
    [7, 5, 9, 12, 4, 4, 8, 11, 6, 7, 10, EOS],
    [11, EOS],
    [6, 6, 8, EOS],
    [9, 4, EOS],
    [4, 5, 6, 7, 8, EOS],
    [EOS],
]
TARGETS = [*THREE, [8, 8, 8, EOS], [12, EOS], [5, 6, EOS]]
WIDTH, LONGEST = 7, 12


def kernel(table, size):
    """Kernels of 2, 3, ... columns lie side by side."""
    start = sum(range(2, size))
    return [table[:, start + column] for column in range(size)]


def convolved(columns, taps):
    """sigma(K * E): every row by itself, only where the kernel fits."""
    size = len(taps)
    return [
        logistic(sum(tap * columns[place + step] for step, tap in enumerate(taps)))
        for place in range(len(columns) - size + 1)
    ]


def sentence_vector(numbers, columns):
    size = 2
    while len(columns) >= size:
        columns = convolved(columns, kernel(numbers["source.sentence.narrowing.table"], size))
        size += 1
    if len(columns) > 1:
        columns = convolved(columns, kernel(numbers["source.sentence.closing.table"], len(columns)))
    [vector] = columns
    return vector


def target_columns(config, numbers, columns):
    """cgm, translation, icgm: the matrix F."""
    length = len(columns)
    columns = columns + [torch.zeros(WIDTH, dtype=torch.float64)] * (config.ngram - length)
    size = 2
    words_seen = 1
    while words_seen < config.ngram:
        columns = convolved(columns, kernel(numbers["source.ngrams.kernels.table"], size))
        words_seen += size - 1
        size += 1
    columns = [logistic(numbers["source.translation.weight"] @ column) for column in columns]
    wanted = max(math.ceil(length * config.length_ratio), config.ngram) - config.ngram + 1
    spaced = []
    for number in range(wanted):
        place = number * (len(columns) - 1) / (wanted - 1) if wanted > 1 else 0.0
        before = min(math.floor(place + 1e-9), len(columns) - 1)
        after = min(before + 1, len(columns) - 1)
        spaced.append(columns[before] * (1 - (place - before)) + columns[after] * (place - before))
    columns = spaced
    for smaller in range(size - 1, 1, -1):
        spread = [torch.zeros(WIDTH, dtype=torch.float64) for _ in range(len(columns) + smaller - 1)]
        for place, column in enumerate(columns):
            for step, tap in enumerate(kernel(numbers["source.words.kernels.table"], smaller)):
                spread[place + step] = spread[place + step] + tap * column
        columns = [logistic(column) for column in spread]
    return columns


def plain_logits(model, source, target):
    config = model.config
    numbers = numbers_of(model)
    if config.source == "none":
        added = [torch.zeros(WIDTH, dtype=torch.float64)]
    else:
        embedded = [numbers["source.embedding.weight"][token] for token in source]
        if config.source == "sentence":
            columns = [sentence_vector(numbers, embedded)]
        else:
            columns = target_columns(config, numbers, embedded)
        added = [numbers["source.condition.weight"] @ column for column in columns]
    hidden, logits = None, []
    for position, token in enumerate([BOS, *target[:-1]]):
        total = numbers["target_embedding.weight"][token] + added[min(position, len(added) - 1)]
        if hidden is not None:
            total = total + numbers["recurrence.weight"] @ hidden
        hidden = logistic(total)
        logits.append(numbers["output.weight"] @ hidden)
    return torch.stack(logits)


VARIANTS = {
    "RCTM II": {},
    "RCTM I": {"source": "sentence"},
    "RLM": {"source": "none"},
    "RCTM II, bigrams": {"ngram": 2},
    "RCTM II, longer targets": {"length_ratio": 1.37},
    "RCTM II, shorter targets": {"length_ratio": 0.45, "ngram": 7},
}


@pytest.fixture(params=VARIANTS, ids=str)
def model(request):
    torch.manual_seed(3)
    config = RCTMConfig(width=WIDTH, maximum_length=LONGEST, **VARIANTS[request.param])
    return RCTM(config, 13, 17).double().eval()


@torch.no_grad()
def test_the_equations_with_teacher_forcing(model):
    assert_all_at_once(model, plain_logits, SOURCES, TARGETS)


@torch.no_grad()
def test_the_equations_step_by_step(model):
    assert_step_by_step(model, plain_logits, SOURCES[0], TARGETS[1])


@torch.no_grad()
@pytest.mark.parametrize("length", range(1, LONGEST + 1))
def test_a_sentence_of_any_length_becomes_one_vector(length):
    torch.manual_seed(5)
    model = RCTM(RCTMConfig(width=WIDTH, source="sentence", maximum_length=LONGEST), 13, 17).double()
    numbers = numbers_of(model)
    source = [*torch.randint(4, 13, (length - 1,)).tolist(), EOS]
    embedded = [numbers["source.embedding.weight"][token] for token in source]
    expected = numbers["source.condition.weight"] @ sentence_vector(numbers, embedded)
    # A longer sentence beside it must not matter.
    memory = model.encode(Sequences.of([source, [4] * LONGEST]))
    torch.testing.assert_close(memory.additions[0, 0], expected)


@pytest.mark.parametrize(("longest", "widest"), [(80, 13), (50, 10), (2, 2)])
def test_section_3_has_kernels_up_to_the_root_of_twice_the_longest_sentence(longest, widest):
    model = RCTM(RCTMConfig(width=WIDTH, source="sentence", maximum_length=longest), 13, 17)
    assert model.source.sentence.narrowing.widest == model.source.sentence.closing.widest == widest
    assert model.source.sentence.narrowing.table.shape == (WIDTH, sum(range(2, widest + 1)))


@torch.no_grad()
def test_a_column_of_the_ngram_model_has_seen_four_words_and_no_more():
    torch.manual_seed(5)
    model = RCTM(RCTMConfig(width=WIDTH), 13, 17).double()
    words, changed = 9, 4
    tokens = torch.arange(4, 4 + words).unsqueeze(0)
    other = tokens.clone()
    other[0, changed] = 3

    def ngrams(read):
        return model.source.ngrams(model.source.embedding(read), torch.ones_like(read, dtype=torch.bool))[0]

    different = (ngrams(tokens) != ngrams(other)).any(-1)
    assert len(different) == words - 3
    assert different.nonzero().flatten().tolist() == list(range(changed - 3, changed + 1))


@torch.no_grad()
def test_the_whole_sentence_reaches_every_position_of_rctm_1_and_a_part_of_it_each_of_rctm_2():
    def reached(source_kind):
        torch.manual_seed(5)
        model = RCTM(RCTMConfig(width=WIDTH, source=source_kind), 23, 17).double()
        source = Sequences.of([[*range(4, 20), EOS]])
        other = Sequences(source.tokens.clone(), source.lengths)
        other.tokens[0, 6] = 21
        positions = torch.arange(17).unsqueeze(0)
        return (model.encode(source).at(positions) != model.encode(other).at(positions)).any(-1)[0]

    assert reached("sentence").all()
    # Word 6 is in the n-grams 3 to 6, and n-gram g tells of the words g to g + 3.
    assert reached("ngrams").nonzero().flatten().tolist() == list(range(3, 10))
