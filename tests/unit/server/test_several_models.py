"""Several models and models of several languages: a request's languages choose the model and what it is told."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from starlette.testclient import TestClient

from saccade.data.vocabulary_tokenizer import Vocabulary, VocabularyTokenizer
from saccade.models.catalogue import build
from saccade.server.application import application
from saccade.server.served_models import ServedModels
from saccade.server.settings import ServerSettings
from saccade.serving.bundle import Bundle
from saccade.serving.translator import Translator

SETTINGS = {"repair": False}
TEXT = "Two men."
CODES = ("__en__", "__de__", "__es__")


@pytest.fixture(scope="module")
def multilingual(bundle, tokenizer) -> Translator:
    """A model that is told both languages, as M2M100 is."""
    pieces = tokenizer.pieces(range(tokenizer.size))
    own = Vocabulary.of([*pieces, *CODES], pad=0, eos=1, unk=2, language_codes=CODES)
    told = VocabularyTokenizer(tokenizer.model_bytes, own)
    small = bundle("transformer", encoder_layers=1, decoder_layers=1, maximum_length=64)
    decoding = {**small.decoding, "size": 2, "extra_length": 1, "unscored_prefix": 1}
    changed = replace(
        small, source_tokenizer=told, target_tokenizer=told, source_language=None, target_language=None,
        decoding=decoding,
    )  # fmt: skip
    return Translator([shaken(changed, 11)], torch.device("cpu"), name="many")


def shaken(bundle: Bundle, seed: int) -> Bundle:
    """With other weights, large enough that every token of a source changes what is written."""
    torch.manual_seed(seed)
    model = build("transformer", bundle.model_config, bundle.source_tokenizer.size, bundle.target_tokenizer.size)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(5.0)
    return replace(bundle, model=model.eval())


@pytest.fixture(scope="module")
def served(translator, multilingual) -> dict[str, Translator]:
    other = shaken(replace(translator.bundle, source_language="fr", target_language="it"), 13)
    return {"tiny": translator, "other": Translator([other], torch.device("cpu")), "many": multilingual}


@pytest.fixture(scope="module")
def client(served) -> Iterator[TestClient]:
    models = ServedModels(served, 40, SETTINGS)
    for model in models:
        model.warm_up()
    with TestClient(application(models, ServerSettings()), base_url="http://127.0.0.1") as own:
        yield own
    models.close()


def alone(served, source: str, target: str) -> str:
    """What the model for these languages writes without a server."""
    pair = {("en", "es"): "tiny", ("fr", "it"): "other"}
    name = pair.get((source, target))
    if name is not None:
        return served[name].translate(TEXT, **SETTINGS)
    return served["many"].translate(TEXT, source_language=source, target_language=target, **SETTINGS)


def test_every_pair_is_listed_once(client):
    languages = {one["code"]: sorted(one["targets"]) for one in client.get("/languages").json()}
    assert languages == {"en": ["de", "es"], "fr": ["it"], "de": ["en", "es"], "es": ["de", "en"], "it": []}
    entries = {one["name"]: one for one in client.get("/v1/models").json()["models"]}
    assert (entries["tiny"]["sources"], entries["tiny"]["targets"]) == (["en"], ["es"])
    assert (entries["many"]["source"], entries["many"]["sources"]) == (None, ["en", "de", "es"])


PAIRS = [("en", "es"), ("fr", "it"), ("en", "de"), ("de", "en"), ("de", "es"), ("es", "de")]


def test_the_languages_of_a_request_choose_the_model_and_what_it_is_told(client, served):
    expected = {pair: alone(served, *pair) for pair in PAIRS}
    assert len(set(expected.values())) == len(PAIRS)  # otherwise this would show nothing

    def ask(pair: tuple[str, str]) -> str:
        return client.post("/translate", json={"q": TEXT, "source": pair[0], "target": pair[1]}).json()[
            "translatedText"
        ]

    with ThreadPoolExecutor(4) as clients:  # languages of one model, asked at the same time, are not mixed
        for pair, found in zip(PAIRS * 2, clients.map(ask, PAIRS * 2), strict=True):
            assert found == expected[pair]


def test_the_own_routes_choose_by_name_and_by_languages(client, served):
    def ask(**which):
        return client.post("/v1/translate", json={"texts": [TEXT], **which})

    named = ask(model="many", source="en", target="es").json()
    expected = served["many"].translate(TEXT, source_language="en", target_language="es", **SETTINGS)
    assert named["model"] == "many"
    assert named["translations"][0]["text"] == expected != alone(served, "en", "es")
    assert ask(source="fr").json()["model"] == "other"
    assert ask().json()["model"] == "tiny"
    missing = ask(model="many", source="en")
    assert (missing.status_code, "must both be named" in missing.json()["error"]) == (400, True)
    wrong = ask(source="fr", target="de")
    assert wrong.status_code == 400
    assert "tiny (en-es), other (fr-it), many (3 languages)" in wrong.json()["error"]


def test_pairs_are_scored_in_the_languages_that_are_named(client):
    pair = {"source": TEXT, "target": TEXT}

    def ask(**which):
        answer = client.post("/v1/score", json={"pairs": [pair], "model": "many", **which}).json()
        return answer["scores"][0]["log_probability"]

    assert (
        len({ask(source=source, target=target) for source, target in (("en", "es"), ("en", "de"), ("de", "es"))}) == 3
    )


def test_a_pair_that_no_model_has_is_refused(client):
    answer = client.post("/translate", json={"q": TEXT, "source": "fr", "target": "es"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "Spanish (es) is not available as a target language from French (fr)"


def test_a_source_that_nobody_can_tell_must_be_named(translator):
    made_up = Translator([replace(translator.bundle, source_language="xx", target_language="yy")], torch.device("cpu"))
    models = ServedModels({"made-up": made_up}, 40, SETTINGS)
    with TestClient(application(models, ServerSettings()), base_url="http://127.0.0.1") as client:
        answer = client.post("/translate", json={"q": TEXT, "source": "auto", "target": "yy"})
    models.close()
    assert (answer.status_code, "source must be named" in answer.json()["error"]) == (400, True)


@pytest.mark.slow
def test_imported_models_of_several_languages_are_served(tmp_path):
    pytest.importorskip("transformers")
    from tests.differential.huggingface_folders import m2m100_folder, marian_folder, sentences
    from typer.testing import CliRunner

    import saccade
    from saccade.cli.main import app

    made = {"nllb": lambda folder: m2m100_folder(folder, nllb=True), "marian": marian_folder}
    translators = {}
    for name, make in made.items():
        make(tmp_path / "from" / name)
        run = ["import", str(tmp_path / "from" / name), "--out", str(tmp_path / name)]
        assert CliRunner().invoke(app, run).exit_code == 0
        translators[name] = saccade.load(tmp_path / name, device="cpu", engine="auto")
    models = ServedModels(translators, 40, SETTINGS)
    text = sentences(1, 1)[0]
    with TestClient(application(models, ServerSettings()), base_url="http://127.0.0.1") as client:
        languages = {one["code"]: one["targets"] for one in client.get("/languages").json()}
        assert len(languages["eng_Latn"]) == 4
        assert sorted(languages["eng"]) == ["deu", "fra"]
        for name, pairs in {"nllb": [("eng_Latn", "spa_Latn"), ("fra_Latn", "zho_Hans")],
                            "marian": [("eng", "deu"), ("eng", "fra")]}.items():  # fmt: skip
            expected = {}
            for pair in pairs:
                told = dict(zip(("source_language", "target_language"), pair, strict=True))
                expected[pair] = translators[name].translate(text, **told, **SETTINGS)
                answer = client.post("/translate", json={"q": text, "source": pair[0], "target": pair[1]}).json()
                assert answer == {"translatedText": expected[pair]}
            assert len(set(expected.values())) == 2
        answer = client.post("/translate", json={"q": text, "source": "auto", "target": "spa_Latn"})
        assert answer.json()["detectedLanguage"]["language"] in languages["eng_Latn"] + ["eng_Latn"]
    models.close()
