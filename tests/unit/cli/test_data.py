import json

import pytest


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "a.en").write_text(
        "This is the first sentence of them all.\nDieses hier ist der zweite Satz von allen.\n"
    )
    (tmp_path / "a.es").write_text("Esta es la primera frase de todas.\nEsta es la segunda frase de todas ellas.\n")
    return tmp_path / "a.en", tmp_path / "a.es"


def test_cleaning_takes_the_languages_from_the_names_and_reports_as_text_and_as_json(saccade, corpus, tmp_path):
    ended = saccade("data", "clean", *corpus, "--out", tmp_path / "out")
    assert ended.code == 0
    assert ended.lines[0] == "2 pairs read, 1 kept (50.0%)"
    assert "source in another language" in ended.lines[1]
    report = json.loads(saccade("data", "clean", *corpus, "--out", tmp_path / "out", "--json").out)
    assert report["removed"]["source in another language"]["examples"][0]["line"] == 2
    ended = saccade("data", "clean", *corpus, "--out", tmp_path / "out", "--source-language", "none")
    assert ended.lines[0] == "2 pairs read, 2 kept (100.0%)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--source-language", "xx"), "but is 'xx'"),
        (("--max-ratio", "0.1"), "`maximum_ratio` must be at least 1"),
        (("--repeats", "0"), "`repeats` must be at least 1"),
    ],
)
def test_a_mistake_ends_in_one_line(saccade, corpus, tmp_path, arguments, message):
    ended = saccade("data", "clean", *corpus, "--out", tmp_path / "out", *arguments)
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert message in ended.err
    assert not (tmp_path / "out").exists()
