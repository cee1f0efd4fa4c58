import pytest
from sacrebleu.metrics import CHRF

from saccade.evaluation.examples import Example
from saccade.evaluation.lead import lead, lead_chrf
from saccade.evaluation.metric_score import MetricOptions


def test_the_lead_ends_with_its_first_sentence():
    assert lead(" Reads a file. Then it stops. ") == "Reads a file."
    assert lead("Version 3.11 has no end") == "Version 3.11 has no end"


def test_its_score_is_that_of_the_first_sentences():
    examples = [Example("Reads a file. Then stops.", "ignored", ("Read a file.",))]
    expected = CHRF().corpus_score(["Reads a file."], [["Read a file."]]).score
    assert lead_chrf(examples, MetricOptions()).value == pytest.approx(expected)
