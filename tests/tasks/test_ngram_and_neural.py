"""Language models that count and such that learn, from the command line, and both as one ensemble."""

import pytest

from saccade.serving.loading import load


@pytest.fixture
def trained(saccade, short, write, sentences, tmp_path):
    """Runs one system on the text, and gives the folder."""
    text = write(tmp_path / "text.txt", sentences)

    def train(architecture, **changes):
        out = tmp_path / architecture
        settings = {"data__pieces": "word", "model__architecture": architecture, **changes}
        ended = saccade("train", "--task=language-modelling", f"--source={text}", f"--out={out}", *short(**settings))
        assert ended.returncode == 0, ended.stderr
        return out

    return train


LEARNED = {
    "neural-probabilistic": {"model__order": 3, "model__width": 17},
    "rnn-language-model": {"model__width": 17},
    "key-value-predict": {"model__width": 7, "model__window": 3},
}


@pytest.mark.parametrize("architecture", ["neural-probabilistic", "key-value-predict"])
def test_a_system_that_learns_finds_text_likelier_than_its_shuffled_words(trained, architecture):
    model = load(trained(architecture, **LEARNED[architecture]), device="cpu")
    plain, shuffled = model.score([("", "my sister likes bread number 3"), ("", "bread my likes 3 sister number")])
    assert sum(plain.token_log_probabilities) > sum(shuffled.token_log_probabilities) + 5


def test_counts_go_on_as_the_text_did_and_an_ensemble_with_what_learned_does_too(trained, saccade):
    counted = trained("ngram", model__order=3)
    ended = saccade("translate", counted, "--device=cpu", "my sister")
    assert ended.stdout.splitlines()[0].split()[2] in ("sees", "likes", "finds")
    learned = trained("rnn-language-model", **LEARNED["rnn-language-model"])
    both = load(counted, learned, device="cpu")
    assert both.translate(["the dog sees"])[0].split()[3] in ("a", "the", "bread")
