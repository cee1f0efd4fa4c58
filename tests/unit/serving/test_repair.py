"""Another search for outputs with faults: with a model that has learned nothing, and so has plenty."""

from dataclasses import replace

import pytest

from saccade.quality.faults import Fault
from saccade.serving import repair
from saccade.serving.translator import load

TEXTS = ["A dog runs.", "She reads 17 books."]


@pytest.fixture(scope="module")
def translator(make_bundle, tmp_path_factory):
    return load(
        make_bundle(
            tmp_path_factory.mktemp("repair") / "model",
            decoding={"size": 2, "alpha": 0.6, "extra_length": 2},
            target_language="es",
        ),
        device="cpu",
    )


def test_a_repaired_output_has_fewer_faults_and_they_are_told(translator, monkeypatch):
    monkeypatch.setattr(repair, "WORSE", 99.0)
    first, second = (translator.translate_batch(TEXTS, repair=wanted) for wanted in (False, True))
    assert any(one.repaired for one in second)
    for before, after in zip(first, second, strict=True):
        assert before.repaired == ()
        assert before.faults is not None
        assert after.faults is not None
        if after.repaired:
            assert len(after.faults) < len(before.faults)
            assert set(after.repaired) <= set(before.faults) - set(after.faults)
        else:
            assert after == before


@pytest.mark.slow
def test_an_output_that_would_be_much_less_probable_is_not_taken(translator, monkeypatch):
    monkeypatch.setattr(repair, "WORSE", -99.0)
    first, second = (translator.translate_batch(TEXTS, repair=wanted) for wanted in (False, True))
    assert first == second
    assert any(one.faults for one in first)


@pytest.mark.slow
def test_what_is_repaired_does_not_depend_on_the_lines_around(translator, monkeypatch):
    monkeypatch.setattr(repair, "WORSE", 99.0)
    together = translator.translate_batch(TEXTS)
    alone = [
        replace(translator.translate_batch([text])[0], number=one.number)
        for text, one in zip(TEXTS, together, strict=True)
    ]
    assert [one.text for one in alone] == [one.text for one in together]
    assert [one.repaired for one in alone] == [one.repaired for one in together]


def test_missing_words_are_asked_for_and_invented_ones_forbidden(translator):
    lines = translator._lines
    [line] = translator._reader.read([(1, ("A dog runs.", ""))], False)
    [[hypothesis]] = lines._find([line], translator.options())
    repairer = lines._repairer
    checked = repair.Checked(line, [hypothesis])
    word = lines.target_tokenizer.decode(hypothesis.tokens).split()[0]
    [same, required, forbidden] = repairer._attempts(
        checked, [Fault("name_dropped", "dog"), Fault("name_invented", word)]
    )
    assert same == line
    assert len(required.input.terms) == 1
    assert forbidden.input.blocking.sequences[0] == tuple(
        hypothesis.tokens[place] for place in lines.target_tokenizer.words(hypothesis.tokens)[0]
    )


def test_nothing_is_looked_for_between_languages_that_are_not_known(make_bundle, tmp_path):
    folder = make_bundle(tmp_path / "model", source_language=None, target_language=None)
    [found] = load(folder, device="cpu").translate_batch(["A dog runs."])
    assert found.faults is None
    assert "faults" not in found.to_json()
