import math

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from saccade.evaluation.bleu import (
    COMPOUND_SPLIT_LABEL,
    bleu,
    bleu_tokenizer,
    chrf,
    compound_split_bleu,
    is_spaceless,
    split_compounds,
)
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions

HYPOTHESES = ["Ein Hund läuft über das Gras .", "Zwei Männer reden miteinander.", "Das Haus war rot."]
REFERENCES = ["Ein Hund läuft über das grüne Gras.", "Zwei Männer sprechen miteinander.", "Das Haus war rot."]
EXAMPLES = [Example("-", *pair) for pair in zip(HYPOTHESES, [(one,) for one in REFERENCES], strict=True)]


def test_bleu_is_sacrebleus():
    assert bleu(EXAMPLES, MetricOptions("de")).value == sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score


def test_chrf_is_sacrebleus():
    assert chrf(EXAMPLES, MetricOptions("de")).value == sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score


def test_the_signature_names_tokeniser_case_and_version():
    signature = bleu(EXAMPLES, MetricOptions("de")).signature
    assert "tok:13a" in signature
    assert "case:mixed" in signature
    assert f"version:{sacrebleu.__version__}" in signature


def test_the_signature_names_the_bootstrap():
    assert "bs:53|seed:12345" in bleu(EXAMPLES, MetricOptions("de", resamples=53)).signature


@pytest.mark.parametrize("resamples", [0, 1])
def test_without_resamples_there_is_no_interval_and_no_bootstrap_in_the_signature(resamples):
    score = bleu(EXAMPLES, MetricOptions("de", resamples=resamples))
    assert score.interval is None
    assert "bs:" not in score.signature


def test_the_interval_ends_where_scores_end():
    perfect = [Example("-", reference, (reference,)) for reference in REFERENCES]
    wrong = [Example("-", "völlig falsch hier und dort", ("ganz anders wie alles andere",))] * 4
    assert bleu(perfect, MetricOptions("de", resamples=7)).interval.high == pytest.approx(100)
    assert bleu([perfect[0], *wrong], MetricOptions("de", resamples=53)).interval.low == 0


def test_the_interval_is_deterministic_and_holds_the_score():
    first, second = (bleu(EXAMPLES, MetricOptions("de", resamples=211)) for _ in range(2))
    assert first.interval == second.interval
    assert first.interval is not None
    assert first.interval.low <= first.value <= first.interval.high


def test_perfect_output_scores_100():
    perfect = [Example("-", reference, (reference,)) for reference in REFERENCES]
    assert bleu(perfect, MetricOptions()).value == pytest.approx(100)
    assert chrf(perfect, MetricOptions()).value == pytest.approx(100)


def test_one_of_several_references_suffices():
    examples = [Example("-", REFERENCES[0], (REFERENCES[1], REFERENCES[0])), EXAMPLES[2]]
    assert bleu(examples, MetricOptions()).value == pytest.approx(100)


@pytest.mark.parametrize(
    ("language", "tokenizer"),
    [
        ("de", "13a"),
        (None, "13a"),
        ("zh", "zh"),
        ("zh-CN", "zh"),
        ("ZH_tw", "zh"),
        ("ja", "char"),
        ("ko", "13a"),
        ("zho_Hant", "zh"),
        ("jpn", "char"),
    ],
)
def test_tokenizer_follows_the_target_language(language, tokenizer):
    assert bleu_tokenizer(language) == tokenizer
    assert is_spaceless(language) == (tokenizer != "13a")


def test_chinese_is_scored_by_its_own_tokeniser():
    examples = [Example("-", "我们今天去公园散步。", ("我们明天去公园散步。",))]
    score = bleu(examples, MetricOptions("zh"))
    assert "tok:zh" in score.signature
    assert score.value > 40


def test_output_that_is_all_empty_scores_zero():
    assert bleu([Example("-", "", ("Das Haus.",))], MetricOptions()).value == 0


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("rich-text format", "rich ##AT##-##AT## text format"),
        ("state-of-the-art", "state ##AT##-##AT## of ##AT##-##AT## the ##AT##-##AT## art"),
        ("a - b", "a - b"),
        ("-5 bis-", "-5 bis-"),
        ("a-b-c", "a ##AT##-##AT## b-c"),
    ],
)
def test_hyphens_inside_words_become_tokens(text, split):
    assert split_compounds(text) == split


def test_value_of_a_hand_made_example():
    # After splitting, 7 tokens each: EU ##AT##-##AT## Rat tagt heute in X; one word of the output is wrong, the last.
    example = Example("-", "EU-Rat tagt heute in Bonn", ("EU-Rat tagt heute in Rom",))
    precisions = [6 / 7, 5 / 6, 4 / 5, 3 / 4]
    expected = 100 * math.exp(sum(map(math.log, precisions)) / 4)
    assert compound_split_bleu([example], MetricOptions()).value == pytest.approx(expected)
    assert bleu([example], MetricOptions()).value < expected


@given(
    st.lists(st.lists(st.sampled_from(["der", "Hund", "rennt,", "schnell.", "3,5", "weg!"]), min_size=5), min_size=1)
)
def test_without_hyphens_it_is_plain_bleu(sentences):
    # Each output begins as its reference does, so that no n-gram count is zero and smoothing has no say.
    examples = [
        Example(
            "-", " ".join(["Das", "war", "ein", "Test", *words]), (" ".join(["Das", "war", "ein", "Test", "aber"]),)
        )
        for words in sentences
    ]
    assert compound_split_bleu(examples, MetricOptions()).value == pytest.approx(bleu(examples, MetricOptions()).value)


def test_the_label_warns():
    score = compound_split_bleu([Example("-", "ein Wort", ("ein Wort",))], MetricOptions())
    assert score.label == COMPOUND_SPLIT_LABEL
    assert "not comparable with sacreBLEU" in score.label
    assert "tok:13a+compound-split" in score.signature
    assert "smooth:none" in score.signature
