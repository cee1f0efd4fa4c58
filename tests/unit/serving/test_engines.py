from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch

from saccade.data.shortlist import Shortlist
from saccade.decoding.beam import BeamConfig
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError
from saccade.interop.ctranslate2 import installed
from saccade.kernels import cpu_library, int8_available
from saccade.models.catalogue import build
from saccade.models.rnnsearch import RNNsearchConfig
from saccade.serving.bundle import Bundle
from saccade.serving.engines import TorchEngine
from saccade.serving.loading import load
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator


@dataclass(frozen=True)
class Counting:
    """Our own engine, which remembers what it was asked."""

    engine: TorchEngine
    asked: Counter = field(default_factory=Counter)

    @property
    def description(self):
        return self.engine.description

    def obstacle(self, config, prefixed):  # noqa: ARG002
        return "`coverage` must be 0 here." if config.coverage else None

    def search(self, inputs, config, batch_tokens=None):
        self.asked.update(inputs)
        return self.engine.search(inputs, config, batch_tokens)


@pytest.fixture
def translator(folder):
    return load(folder, device="cpu", engine="torch")


@pytest.fixture
def counting(translator):
    counting = Counting(translator.engines[0])
    translator.model_engines.engines = (counting,)
    return counting


def test_what_stands_on_several_lines_is_searched_once(translator, counting):
    lines = ["A dog runs.", "She reads.", "A dog runs.", "  A dog  runs. "]
    found = [translation.text for translation in translator.stream(lines)]
    assert found == [found[0], found[1], found[0], found[0]]
    assert sorted(counting.asked.values()) == [1, 1]


def test_lines_with_other_prefixes_are_other_sentences(translator, counting):
    list(translator.stream(["A dog runs."] * 3, prefix=["The", "", "The"]))
    assert sorted(counting.asked.values()) == [1, 1]


def test_every_line_keeps_its_own_number_and_text(translator):
    lines = ["A dog runs.", "", "A  dog runs."]
    found = list(translator.stream(lines))
    assert [(one.number, one.source) for one in found] == list(enumerate(lines, start=1))


def test_equal_lines_are_drawn_each_for_itself(translator):
    options = TranslationOptions(search=SamplingConfig())
    drawn = {translation.text for translation in translator.stream(["A dog runs."] * 5, options)}
    assert len(drawn) > 1


def test_a_batch_that_is_drawn_again_after_it_did_not_fit_has_the_same_numbers(translator, monkeypatch):
    options = TranslationOptions(search=SamplingConfig(), seed=3)
    lines = ["A dog runs.", "She reads.", "A dog runs.", "The dog sleeps here.", "He sees her."]
    expected = [one.text for one in translator.stream(lines, options)]
    searcher = translator.model_engines.own._searcher
    sample = searcher.sample
    failed = []

    def too_large(source, config, generators, prefix, rules):
        found = sample(source, config, generators, prefix, rules)  # the numbers are drawn before the memory is full
        if len(source) > 2:
            failed.append(len(source))
            raise MemoryError
        return found

    monkeypatch.setattr(searcher, "sample", too_large)
    assert [one.text for one in translator.stream(lines, options)] == expected
    assert failed


def test_alignments_come_with_every_equal_line(translator):
    found = list(translator.stream(["A dog runs."] * 2, TranslationOptions(alignment=True)))
    assert found[0].alignment is not None
    assert found[0].alignment == found[1].alignment


def test_the_first_engine_that_can_is_asked(translator, counting):
    ours = TorchEngine(translator.model, torch.device("cpu"))
    translator.model_engines.engines = (counting, ours)
    assert translator.engine(BeamConfig()) is counting
    assert translator.engine(BeamConfig(coverage=0.2)) is ours


def test_where_no_engine_can_the_reason_is_given(translator, counting):
    with pytest.raises(ConfigError, match="`coverage` must be 0 here"):
        list(translator.stream(["A dog runs."], TranslationOptions(search=BeamConfig(coverage=0.2))))


def test_torch_says_how_it_runs(translator):
    assert translator.engine().description.startswith(f"torch {torch.__version__} on cpu, float32, ")


def test_an_unknown_engine_is_refused(folder):
    with pytest.raises(ConfigError, match="`engine` must be one of auto, torch, ctranslate2, but is 'abacus'"):
        load(folder, device="cpu", engine="abacus")


@pytest.mark.skipif(cpu_library.load() is None, reason="the library was not built")
class TestWithTheLibrary:
    def test_auto_is_our_own_search(self, folder):
        automatic = load(folder, device="cpu", engine="auto")
        assert automatic.engines == (automatic.model_engines.own,)
        assert ", float32, " in automatic.engine().description

    @pytest.mark.skipif(not int8_available(), reason="this CPU cannot multiply bytes")
    def test_auto_multiplies_bytes_where_weights_are_stored_so(self, folder):
        stored = replace(Bundle.load(folder), storage="int8")
        automatic = Translator([stored], torch.device("cpu"), "auto")
        assert automatic.model_engines.own.precision == torch.int8
        assert Translator([stored], torch.device("cpu"), "torch").model_engines.own.precision is None

    def test_float32_is_obeyed_whatever_the_weights_are_stored_in(self, folder):
        stored = replace(Bundle.load(folder), storage="int8")
        asked = Translator([stored], torch.device("cpu"), "auto", precision="float32")
        assert asked.engine() is asked.model_engines.own
        assert asked.model_engines.own.precision is None

    def test_a_model_that_it_does_not_know_is_left_to_ctranslate2_or_torch(self, folder):
        bundle = Bundle.load(folder)
        bundle.model.encoder.register_forward_hook(lambda *_: None)  # which may do anything
        description = Translator([bundle], torch.device("cpu"), "auto").engine().description
        assert description.startswith("CTranslate2 " if installed() else "torch ")

    def test_batches_side_by_side_have_the_outputs_of_one_after_another(self, folder, monkeypatch):
        lines = [f"A dog runs {'and runs ' * (each % 7)}{each}." for each in range(30)]
        translator = load(folder, device="cpu")
        expected = list(translator.translate(lines, batch_tokens=50))
        monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
        assert list(translator.translate(lines, batch_tokens=50)) == expected
        assert list(translator.translate(lines)) == expected


@pytest.mark.skipif(not installed(), reason="ctranslate2 is not installed")
class TestWithCtranslate2:
    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path, monkeypatch):
        monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))

    @pytest.fixture(autouse=True)
    def _no_library(self, monkeypatch):
        monkeypatch.setattr(cpu_library, "load", lambda: None)

    def test_auto_takes_it_and_falls_back(self, folder):
        automatic = load(folder, device="cpu", engine="auto")
        assert automatic.engine().description.startswith("CTranslate2 ")
        assert automatic.engine(BeamConfig(coverage=0.2)).description.startswith("torch ")
        assert automatic.engine(prefixed=True).description.startswith("torch ")
        assert automatic.engine(SamplingConfig()).description.startswith("torch ")

    @pytest.mark.parametrize(("storage", "form"), [("int8", "int8"), ("float32", "float32"), ("float16", "float32")])
    def test_auto_rounds_what_is_stored_rounded_and_nothing_else(self, folder, storage, form):
        stored = replace(Bundle.load(folder), storage=storage)
        found = Translator([stored], torch.device("cpu"), "auto").engine()
        assert f", {form}, " in found.description

    def test_auto_rounds_nothing_where_float32_is_asked_for(self, folder):
        stored = replace(Bundle.load(folder), storage="int8")
        found = Translator([stored], torch.device("cpu"), "auto", precision="float32").engine()
        assert found.description.startswith("CTranslate2 ")
        assert ", float32, " in found.description

    def test_nothing_is_converted_before_something_is_searched(self, folder, tmp_path):
        translator = load(folder, device="cpu", engine="auto")
        list(translator.score([("A dog runs.", "A dog runs.")]))
        translator.translate("A dog runs.", sampling=SamplingConfig())
        assert not list(tmp_path.iterdir())
        translator.translate("A dog runs.")
        assert list(tmp_path.iterdir())

    def test_auto_leaves_out_the_shortlist_whatever_was_converted_before(self, folder):
        bundle = Bundle.load(folder)
        size = bundle.target_tokenizer.size
        everything = Shortlist(np.arange(size), np.zeros(bundle.source_tokenizer.size + 1, int), np.zeros(0, int))
        taught = replace(bundle, shortlist=everything)
        asked = ("auto", "ctranslate2", "auto", "ctranslate2")
        engines = [Translator([taught], torch.device("cpu"), name).engine() for name in asked]
        used = ["shortlist" in engine.description for engine in engines]
        assert used == [False, True, False, True]

    def test_auto_translates_what_only_torch_can(self, folder, translator):
        automatic = load(folder, device="cpu", engine="auto")
        asked = {"beam": 3, "prefix": "The"}
        assert automatic.translate(["A dog runs."], **asked) == translator.translate(["A dog runs."], **asked)

    def test_an_ensemble_is_refused_by_name_and_done_by_auto(self, folder):
        with pytest.raises(ConfigError, match="`ensemble` must be left out"):
            load(folder, folder, device="cpu", engine="ctranslate2")
        assert load(folder, folder, device="cpu", engine="auto").engine().description.startswith("torch ")

    def test_what_it_does_not_tell_the_model_does_where_scores_are_asked_for(self, folder):
        translator = load(folder, device="cpu", engine="ctranslate2")
        bare, scored = (next(translator.stream(["A dog runs."], TranslationOptions(scores=asked))) for asked in (0, 1))
        assert "token_log_probabilities" not in bare.to_json()
        assert sum(scored.nbest[0].token_log_probabilities) == pytest.approx(scored.log_probability)
        assert scored.text == bare.text

    def test_alignments_come_from_torch(self, folder):
        (found,) = load(folder, device="cpu", engine="ctranslate2").stream(
            ["A dog runs."], TranslationOptions(alignment=True)
        )
        assert found.alignment is not None


def test_a_precision_that_the_device_does_not_have_is_refused(folder):
    for precision in ("float16", "bfloat16"):
        with pytest.raises(ConfigError, match=f"must be float32 or int8 on a CPU, but is '{precision}'"):
            load(folder, device="cpu", precision=precision)
    with pytest.raises(ConfigError, match="must be one of auto, float32, float16, bfloat16, int8, but is 'half'"):
        load(folder, device="cpu", precision="half")


def test_int8_is_searched_by_ourselves_or_refused_in_one_line(folder):
    if not int8_available():
        with pytest.raises(ConfigError, match="must be float32 on this CPU, but is 'int8'"):
            load(folder, device="cpu", precision="int8")
        return
    translator = load(folder, device="cpu", engine="auto", precision="int8")
    assert [engine.description.split(", ")[1] for engine in translator.engines] == ["int8"]
    lines = ["A dog runs.", "Two men are talking."]
    assert translator.translate(lines) == [translator.translate([line])[0] for line in lines]


@pytest.mark.skipif(not installed(), reason="ctranslate2 is not installed")
def test_ctranslate2_by_name_has_a_precision_of_its_own(folder):
    with pytest.raises(ConfigError, match="left out with the engine ctranslate2, which computes in int8, but is 'floa"):
        load(folder, device="cpu", engine="ctranslate2", precision="float32")


def test_int8_is_refused_for_a_system_that_is_not_known_to_the_library(make_bundle, tokenizer, tmp_path):
    if not int8_available():
        pytest.skip("it is refused for every system")
    config = RNNsearchConfig(width=8)
    model = build("rnnsearch", config, tokenizer.size, tokenizer.size).eval()
    folder = make_bundle(tmp_path / "model", model=model, architecture="rnnsearch", model_config=config)
    with pytest.raises(ConfigError, match=r"must be float32 for this model \(rnnsearch\), but is 'int8'"):
        load(folder, device="cpu", precision="int8")


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_a_gpu_searches_in_half_precision_with_a_copy_of_the_weights(folder, gpu, precision):
    translator = load(folder, device=str(gpu), precision=precision)
    assert translator.engines[0].description.endswith(f" {precision}")
    assert len(translator.translate(["A dog runs.", "Two men are talking."])) == 2
    assert next(translator.model.parameters()).dtype == torch.float32
