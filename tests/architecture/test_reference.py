"""The reference says what the docstrings say."""

from pathlib import Path

from tools.reference import reference

import saccade

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference.md"


def test_the_reference_is_what_would_be_written_now():
    assert DOCUMENT.read_text(encoding="utf-8") == reference()


def test_every_public_name_is_in_it():
    text = reference()
    for name in set(saccade.__all__) - {"__version__"}:
        assert f"\n### {name}\n" in text
