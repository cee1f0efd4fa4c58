"""Names that are no model are refused in one line."""

import pytest

from saccade.errors import InputError
from saccade.serving.model_names import model_folder


@pytest.mark.parametrize("name", ["x" * 300, "a/" * 3000, "no\0name", "", "nowhere"], ids=lambda name: name[:4])
def test_what_cannot_be_a_folder_is_no_model(name):
    with pytest.raises(InputError, match="^`model` must ") as caught:
        model_folder(name)
    assert len(str(caught.value)) < 4 * len(name) + 300
    assert "\n" not in str(caught.value)
