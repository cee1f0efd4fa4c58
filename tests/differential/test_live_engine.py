"""The shipped model in a live page writes, token by token, what it writes in Python."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.explorer.engine_in_node import answers, request

from saccade.decoding.beam import beam_search
from saccade.explorer.live_model import live_model
from saccade.sequences import Sequences
from saccade.serving.loading import load
from saccade.special_tokens import EOS

SHIPPED = Path(__file__).parents[1] / "contracts" / "sentences.txt"


@pytest.mark.slow
@pytest.mark.parametrize(("size", "count"), [(1, 600), (4, 400)])  # about a minute each
def test_hundreds_of_test_sentences_have_python_s_tokens(size, count):
    data = Path(os.environ.get("SACCADE_DATA", "")) / "tatoeba-en-es" / "test.en"
    lines = (data if data.is_file() else SHIPPED).read_text(encoding="utf-8").splitlines()[:count]
    bundle = load("en-es").bundle
    [found] = answers(live_model(bundle, "en-es"), [("outputs", [request(line, size=size) for line in lines])])
    expected: list[list[int]] = []
    for first in range(0, len(lines), 50):
        source = Sequences.of([[*tokens, EOS] for tokens in bundle.source_tokenizer.encode(lines[first : first + 50])])
        searched = beam_search(bundle.model, source, replace(bundle.search, size=size))
        expected += [list(best.tokens) for best, *_ in searched]
    assert found == expected
