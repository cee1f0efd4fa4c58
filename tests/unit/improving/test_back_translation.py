import json
import shutil

import pytest

from saccade.data.config import DataConfig
from saccade.data.prepare import prepare
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError, FormatError, InputError
from saccade.improving.back_translation import augment
from saccade.serving.loading import load

LINES = 12


@pytest.fixture(scope="module")
def back(bundle, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "back"
    bundle("transformer").save(folder, "# back\n")
    return folder


@pytest.fixture
def text(tmp_path):
    words = ("Two", "men", "are", "talking", "dog", "runs", "sea")
    lines = [f"{words[number % 7]} {words[number % 5]}" for number in range(LINES)]
    lines[3], lines[10] = "", "too long " * 500
    path = tmp_path / "mono.es"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


class Killed(BaseException):
    pass


def killing(after):
    """Lets so many translations through, and then ends the process, as far as a test can."""

    def watch(translations):
        for number, translation in enumerate(translations):
            if number == after:
                raise Killed
            yield translation

    return watch


def written(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "sampling", [None, pytest.param(SamplingConfig(), marks=pytest.mark.slow)], ids=["beam", "sampling"]
)
def test_what_was_stopped_goes_on_to_the_same_bytes(back, text, tmp_path, sampling):
    text.write_text(text.read_text() * 6)  # more than two windows, so that some are sure before something goes wrong
    settings = {"sampling": sampling, "beam": None if sampling else 1, "tag": "<BT>", "device": "cpu"}
    augment(back, text, tmp_path / "whole", **settings)
    for after in (50, 10):
        with pytest.raises(Killed):
            augment(back, text, tmp_path / "out", **settings, watch=killing(after))
        assert not (tmp_path / "out" / "source.txt").exists()
        assert not json.loads((tmp_path / "out" / "made.json").read_text())["finished"]
    augment(back, text, tmp_path / "out", **settings)
    assert written(tmp_path / "out") == written(tmp_path / "whole")


def test_sources_are_the_translations_and_targets_the_text(back, text, tmp_path):
    result = augment(back, text, tmp_path / "out", device="cpu", beam=2)
    sources, targets = result.source.read_text().split("\n"), result.target.read_text().split("\n")
    assert targets == text.read_text().split("\n")
    assert sources[:3] == load(back, device="cpu").translate(targets[:3], beam=2)
    empty = [number for number, source in enumerate(sources[:-1]) if not source]
    assert (result.lines, result.without_source) == (LINES, len(empty))
    assert {3, 10} <= set(empty)
    assert len(empty) < LINES / 2


def test_a_tag_stands_before_every_source_and_must_be_a_symbol_where_it_is_trained_on(back, text, tmp_path):
    result = augment(back, text, tmp_path / "out", tag="<BT>", device="cpu", beam=1)
    assert all(line.startswith("<BT> ") for line in result.source.read_text().splitlines() if line)
    data = DataConfig(
        source=str(result.target),
        target=str(result.target),
        mix_source=(str(result.source),),
        mix_target=(str(result.target),),
        vocabulary=330,
    )
    with pytest.raises(ConfigError, match=r"data.symbols=\[\"<BT>\"\]"):
        prepare(data, tmp_path / "data")
    with pytest.raises(ConfigError, match="without a tag"):
        prepare(data, tmp_path / "data", vocabulary=back)
    assert prepare(DataConfig(**{**data.given(), "symbols": ("<BT>",)}), tmp_path / "data").source_tokenizer.has_symbol(
        "<BT>"
    )


def test_other_settings_or_another_folder_are_refused(back, text, tmp_path):
    out = tmp_path / "out"
    augment(back, text, out, device="cpu", beam=1)
    again = shutil.copytree(back, tmp_path / "the-same-model")
    assert augment(again, text, out, device="cpu", beam=1).lines == LINES
    with pytest.raises(ConfigError, match="`size` was 1 and is 2"):
        augment(back, text, out, device="cpu", beam=2)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(InputError, match="holds other files"):
        augment(back, text, tmp_path / "mine", device="cpu")
    with pytest.raises(ConfigError, match="one word"):
        augment(back, text, tmp_path / "other", tag="two words")
    (out / "made.json").write_text("{}")
    with pytest.raises(FormatError, match="damaged"):
        augment(back, text, out, device="cpu", beam=1)
