"""The shapes in signatures are checked while tests run."""

import jaxtyping
import pytest
import torch

from saccade.attention.masks import Visibility


def test_a_tensor_of_another_shape_than_annotated_is_refused_at_every_call():
    batch, keys = 2, 3
    Visibility(keys=torch.ones(batch, keys, dtype=torch.bool))
    for _ in range(2):
        with pytest.raises(jaxtyping.TypeCheckError, match="keys"):
            Visibility(keys=torch.ones(keys, dtype=torch.bool))
