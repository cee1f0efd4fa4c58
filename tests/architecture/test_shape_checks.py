"""The shapes in signatures are checked while tests run."""

import jaxtyping
import pytest
import torch
from jaxtyping import Float
from tests.shape_checks import ALWAYS, ONE_OF, begin_test, checked_when_called
from torch import Tensor

from saccade.attention.masks import Visibility


def test_a_tensor_of_another_shape_than_annotated_is_refused_at_every_call():
    batch, keys = 2, 3
    Visibility(keys=torch.ones(batch, keys, dtype=torch.bool))
    for _ in range(2):
        with pytest.raises(jaxtyping.TypeCheckError, match="keys"):
            Visibility(keys=torch.ones(keys, dtype=torch.bool))


@jaxtyping.jaxtyped(typechecker=checked_when_called)
def cut(states: Float[Tensor, "batch width"], *, rows: int, columns: int) -> Float[Tensor, "batch 2"]:
    return states[:rows, :columns]


@pytest.mark.parametrize(("rows", "columns"), [(3, 4), (1, 2)])
def test_what_comes_back_is_checked_also_against_the_axes_of_the_arguments(rows, columns):
    assert cut(torch.zeros(3, 5), rows=3, columns=2).shape == (3, 2)
    with pytest.raises(jaxtyping.TypeCheckError, match="return value"):
        cut(torch.zeros(3, 5), rows=rows, columns=columns)


@pytest.mark.parametrize(("states", "rows"), [(torch.zeros(3), 2), (torch.zeros(3, 5), "2")])
def test_every_argument_is_checked(states, rows):
    with pytest.raises(jaxtyping.TypeCheckError, match="parameters"):
        cut(states, rows=rows, columns=2)


def test_of_many_calls_some_are_checked_and_the_first_in_every_test():
    def refused(calls):
        """How many of so many calls were checked."""
        found = 0
        for _ in range(calls):
            try:
                cut(torch.zeros(3, 5), rows=3, columns=4)
            except jaxtyping.TypeCheckError:
                found += 1
        return found

    for _ in range(2):
        begin_test()
        assert refused(ALWAYS) == ALWAYS
        assert refused(10 * ONE_OF) == 10
