import pytest
import sacrebleu

from saccade.evaluation.bleu import bleu, bleu_tokenizer, chrf, is_spaceless
from saccade.evaluation.examples import Example
from saccade.evaluation.score import Conditions

HYPOTHESES = ["Ein Hund läuft über das Gras .", "Zwei Männer reden miteinander.", "Das Haus war rot."]
REFERENCES = ["Ein Hund läuft über das grüne Gras.", "Zwei Männer sprechen miteinander.", "Das Haus war rot."]
EXAMPLES = [Example("-", *pair) for pair in zip(HYPOTHESES, [(one,) for one in REFERENCES], strict=True)]


def test_bleu_is_sacrebleus():
    assert bleu(EXAMPLES, Conditions("de")).value == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score


def test_chrf_is_sacrebleus():
    assert chrf(EXAMPLES, Conditions("de")).value == sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score


def test_the_signature_names_tokeniser_case_and_version():
    signature = bleu(EXAMPLES, Conditions("de")).signature
    assert "tok:13a" in signature
    assert "case:mixed" in signature
    assert f"version:{sacrebleu.__version__}" in signature


def test_the_signature_names_the_bootstrap():
    assert "bs:53|seed:12345" in bleu(EXAMPLES, Conditions("de", resamples=53)).signature


def test_the_interval_is_deterministic_and_holds_the_score():
    first, second = (bleu(EXAMPLES, Conditions("de", resamples=211)) for _ in range(2))
    assert first.interval == second.interval
    assert first.interval is not None
    assert first.interval.low <= first.value <= first.interval.high


def test_perfect_output_scores_100():
    perfect = [Example("-", reference, (reference,)) for reference in REFERENCES]
    assert bleu(perfect, Conditions()).value == pytest.approx(100)
    assert chrf(perfect, Conditions()).value == pytest.approx(100)


def test_one_of_several_references_suffices():
    examples = [Example("-", REFERENCES[0], (REFERENCES[1], REFERENCES[0])), EXAMPLES[2]]
    assert bleu(examples, Conditions()).value == pytest.approx(100)


@pytest.mark.parametrize(
    ("language", "tokenizer"),
    [("de", "13a"), (None, "13a"), ("zh", "zh"), ("zh-CN", "zh"), ("ZH_tw", "zh"), ("ja", "char"), ("ko", "13a")],
)
def test_tokenizer_follows_the_target_language(language, tokenizer):
    assert bleu_tokenizer(language) == tokenizer
    assert is_spaceless(language) == (tokenizer != "13a")


def test_chinese_is_scored_by_its_own_tokeniser():
    examples = [Example("-", "我们今天去公园散步。", ("我们明天去公园散步。",))]
    score = bleu(examples, Conditions("zh"))
    assert "tok:zh" in score.signature
    assert score.value > 40


def test_output_that_is_all_empty_scores_zero():
    assert bleu([Example("-", "", ("Das Haus.",))], Conditions()).value == 0
