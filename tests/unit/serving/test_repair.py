"""Another search for outputs with faults: with a model that has learned nothing, and so has plenty."""

from dataclasses import replace

import pytest

from saccade.decoding.hypothesis import Hypothesis
from saccade.quality.faults import Fault
from saccade.serving import repair
from saccade.serving.loading import load
from saccade.serving.problems import Problems
from saccade.serving.translation import Candidate, Translation
from saccade.special_tokens import EOS

TEXTS = ["A dog runs."]


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
    first, second = (translator.translate_batch(TEXTS, repair=wanted) for wanted in (False, "all"))
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
    first, second = (translator.translate_batch(TEXTS, repair=wanted) for wanted in (False, "all"))
    assert first == second
    assert any(one.faults for one in first)


@pytest.mark.slow
def test_what_is_repaired_does_not_depend_on_the_lines_around(translator, monkeypatch):
    monkeypatch.setattr(repair, "WORSE", 99.0)
    together = translator.translate_batch(TEXTS, repair="all")
    alone = [
        replace(translator.translate_batch([text], repair="all")[0], number=one.number)
        for text, one in zip(TEXTS, together, strict=True)
    ]
    assert [one.text for one in alone] == [one.text for one in together]
    assert [one.repaired for one in alone] == [one.repaired for one in together]


def test_missing_words_are_asked_for_and_invented_ones_forbidden(translator):
    lines = translator._pipeline.lines
    [line] = translator._pipeline.reader.read([(1, ("A dog runs.", ""))], False)
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


@pytest.mark.parametrize(("patterns", "taken"), [((), True), (("dog",), False)], ids=["", "protected"])
def test_a_repair_that_loses_what_the_user_protects_is_not_taken(translator, patterns, taken):
    lines = translator._pipeline.lines
    [line] = translator._pipeline.reader.read([(1, ("A dog runs.", ""))], False)
    looping, other = (
        Hypothesis((*lines.target_tokenizer.encode([text])[0], EOS), -1.0, -1.0, None, True)
        for text in ("dog dog dog dog dog dog", "el perro")
    )
    [checked] = lines._repairer.repair(
        [line], [[looping]], lambda attempts: [[other] for _ in attempts], patterns=patterns
    )
    assert checked.outcome == [other if taken else looping]


@pytest.mark.parametrize(("kinds", "searched"), [(("loop",), 2), (("too_short",), 0)])
def test_only_the_kinds_that_are_asked_for_are_searched_again(translator, kinds, searched):
    lines = translator._pipeline.lines
    [line] = translator._pipeline.reader.read([(1, ("A dog runs.", ""))], False)
    looping = Hypothesis((*lines.target_tokenizer.encode(["dog dog dog dog"])[0], EOS), -1.0, -1.0, None, True)
    asked = []
    [checked] = lines._repairer.repair(
        [line], [[looping]], lambda some: asked.extend(some) or [[looping] for _ in some], kinds=kinds
    )
    assert len(asked) == searched
    assert checked.outcome == [looping]


def test_nothing_is_looked_for_between_languages_that_are_not_known(make_bundle, tmp_path):
    folder = make_bundle(tmp_path / "model", source_language=None, target_language=None)
    [found] = load(folder, device="cpu").translate_batch(["A dog runs."])
    assert found.faults is None
    assert "faults" not in found.to_json()


def test_faults_are_counted_by_lines_and_told_in_one_line():
    problems = Problems()
    problems.add_faults([Fault("loop", "la la"), Fault("number_dropped", "17"), Fault("number_dropped", "18")], [])
    problems.add_faults([], [Fault("loop", "la la")])
    problems.add_faults([], [])
    again = Problems(**problems.to_json())
    assert again.summary(3, "translated") == (
        "1 of 3 lines may be wrong: 1 loop, 1 number missing. 1 of 3 lines was repaired: 1 loop."
    )


def test_json_has_the_faults_that_are_left_and_those_that_were_repaired():
    candidate = Candidate("la la la", -1.0, -2.0, None, True, None)
    left, gone = Fault("loop", "la la"), Fault("number_dropped", "17")
    values = Translation(1, "the 17", (candidate,), faults=(left,), repaired=(gone,)).to_json()
    assert values["faults"] == [{"fault": "loop", "what": "la la"}]
    assert values["repaired"] == [{"fault": "number_dropped", "what": "17"}]


def test_an_output_without_end_must_not_become_longer(translator):
    lines = translator._pipeline.lines
    [line] = translator._pipeline.reader.read([(1, ("A dog runs.", ""))], False)
    [[hypothesis]] = lines._find([line], translator.options())
    faults = [Fault("too_short", "2 letters"), Fault("too_long", "has no end")]
    *_, attempt = lines._repairer._attempts(repair.Checked(line, [hypothesis]), faults)
    assert attempt.input.blocking.shortest == 0
    assert attempt.input.blocking.longest is not None
