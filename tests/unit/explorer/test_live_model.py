"""What a live page holds: everything its worker needs, or an error when the page is written."""

import base64
import gzip
import re
from dataclasses import replace
from pathlib import Path

import pytest
from torch import nn

from saccade.data.tokenizer import Tokenizer
from saccade.errors import ConfigError
from saccade.explorer.live_model import SETTINGS, live_model
from saccade.explorer.page import FOLDER, document, exported_page, json_in_html
from saccade.serving import loading


def test_weights_are_those_of_the_folder_byte_for_byte():
    model = live_model(loading.load("en-es").bundle, "en-es")
    folder = Path(loading.__file__).parent / "shipped" / "en-es"
    assert gzip.decompress(base64.b64decode(model["weights"])) == (folder / "weights.safetensors").read_bytes()
    page = exported_page(document(), {"models": {"en-es": model}})
    assert len(page) < 1.45 * sum(path.stat().st_size for path in folder.iterdir())


def test_the_page_has_a_class_for_every_type_of_module_that_is_written():
    known = re.search(
        r"const TYPES = \{(.*?)\};", (FOLDER / "engine" / "interpreter.js").read_text(encoding="utf-8"), re.DOTALL
    )
    assert sorted(re.findall(r"\w+", known[1])) == sorted(SETTINGS)


def test_parts_searches_and_tokenizers_that_a_page_lacks_are_refused(bundle):
    model = bundle("transformer")
    other = bundle("transformer").model
    other.encoder.end = nn.Softplus()
    with pytest.raises(ConfigError, match="encoder.end is Softplus"):
        live_model(replace(model, model=other), "tiny")
    with pytest.raises(ConfigError, match="paper's rules"):
        live_model(replace(model, decoding={**model.decoding, "coverage": 0.2}), "tiny")

    class Elsewhere(Tokenizer):
        """One that was not trained here."""

    elsewhere = Elsewhere(model.source_tokenizer.model_bytes)
    with pytest.raises(ConfigError, match="a tokenizer that saccade trained"):
        live_model(replace(model, source_tokenizer=elsewhere), "tiny")


def test_a_live_page_may_run_webassembly_and_connect_to_nothing(bundle):
    live = {"models": {"tiny": live_model(bundle("transformer"), "tiny")}}
    page = exported_page(document(), live)
    assert "'wasm-unsafe-eval'" in page
    assert "connect-src" not in page
    assert json_in_html(live) in page
    assert "wasm-unsafe-eval" not in exported_page(document())
