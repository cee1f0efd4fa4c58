import torch

from saccade.decoding.beam_backtrace import Backpointers, concatenate, from_table, to_table


def random_pointers(steps, sentences, size, seed=3):
    generator = torch.Generator().manual_seed(seed)
    return Backpointers(
        torch.randint(0, 99, (steps, sentences, 2 * size), generator=generator),
        torch.randn(steps, sentences, 2 * size, generator=generator, dtype=torch.float64),
        torch.randint(0, 2 * size, (steps, sentences, size), generator=generator),
        torch.randn(steps, sentences, generator=generator, dtype=torch.float64),
    )


def test_backpointers_survive_the_way_through_a_table():
    pointers = random_pointers(5, 3, 2)
    for found, expected in zip(from_table(to_table(pointers), 2), pointers, strict=True):
        assert torch.equal(found, expected)


def test_parts_of_some_sentences_are_concatenated():
    first, second = random_pointers(2, 3, 2), random_pointers(4, 2, 2, seed=4)
    complete = concatenate([(torch.arange(3), first), (torch.tensor([2, 0]), second)], 3)
    for found, before, after in zip(complete, first, second, strict=True):
        assert torch.equal(found[:2], before)
        assert torch.equal(found[2:, [2, 0]], after)
        assert not found[2:, 1].any()
