import torch

from saccade.attention.attend import explicit
from saccade.attention.cache import Ancestors, BeamKeysValues, CacheStep, allocate, padding_bias
from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues

SENTENCES, HEADS, SIZE, CAPACITY, KEY, VALUE = 2, 3, 4, 7, 5, 6


def normal(generator, *shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def written_by_copying(steps, window=None):
    """What each hypothesis takes at each step when everything is copied along at every reordering."""
    past, contexts = None, []
    for queries, new, parents in steps:
        own = KeysValues(*(each.transpose(1, 2).flatten(0, 1).unsqueeze(2) for each in (new.keys, new.values)))
        past = own if past is None else past.append(own)
        query = queries.transpose(1, 2).flatten(0, 1).unsqueeze(2)
        context = explicit(query, past.keys, past.values, Visibility(causal=True, window=window)).context
        contexts.append(context.view(SENTENCES, SIZE, HEADS, VALUE).transpose(1, 2))
        first = torch.arange(0, SENTENCES * SIZE, SIZE).unsqueeze(1)
        past = past.select((first + parents).flatten())
    return contexts


def written_in_place(steps, window=None, looking=False):
    empty = KeysValues(*(torch.empty(SENTENCES, HEADS, 0, each, dtype=torch.float64) for each in (KEY, VALUE)))
    places = allocate(empty, SIZE, CAPACITY)
    ancestors, contexts = Ancestors.none(SENTENCES, SIZE, CAPACITY, like=places.keys), []
    for queries, new, parents in steps:
        ancestors, cache_step = ancestors.advance(window)
        past = BeamKeysValues(places.keys, places.values, cache_step).append(new)
        attend = past.look if looking else past.attend
        result = attend(queries, Visibility(), 0.0)
        contexts.append(result.context if looking else result)
        ancestors = ancestors.reorder(parents)
    return contexts


def random_steps(generator):
    return [
        (
            normal(generator, SENTENCES, HEADS, SIZE, KEY),
            KeysValues(
                normal(generator, SENTENCES, HEADS, SIZE, KEY), normal(generator, SENTENCES, HEADS, SIZE, VALUE)
            ),
            torch.randint(0, SIZE, (SENTENCES, SIZE), generator=generator),
        )
        for _ in range(CAPACITY)
    ]


def test_reordering_who_descends_from_whom_is_reordering_everything(generator):
    steps = random_steps(generator)
    torch.testing.assert_close(written_in_place(steps), written_by_copying(steps))


def test_a_window_hides_what_is_further_back(generator):
    steps = random_steps(generator)
    torch.testing.assert_close(written_in_place(steps, window=2), written_by_copying(steps, window=2))


def test_looking_changes_nothing(generator):
    steps = random_steps(generator)
    torch.testing.assert_close(written_in_place(steps, looking=True), written_in_place(steps))


def test_hypotheses_share_the_source_of_their_sentence(generator):
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    keys, values = normal(generator, SENTENCES, HEADS, 5, KEY), normal(generator, SENTENCES, HEADS, 5, VALUE)
    queries = normal(generator, SENTENCES, HEADS, SIZE, KEY)
    source = BeamKeysValues(keys, values, CacheStep(padding_bias(mask, like=keys)))
    expected = explicit(queries, keys, values, Visibility(keys=mask)).context
    torch.testing.assert_close(source.attend(queries, Visibility(), 0.0), expected)


def test_nothing_is_hidden_where_nothing_is_padding():
    assert padding_bias(torch.ones(2, 3, dtype=torch.bool), like=torch.ones(1)) is None
