import pytest


def test_text_is_translated_back_and_the_next_command_is_told(saccade, model, tmp_path):
    (tmp_path / "mono.es").write_text("two men talk\n\nshe reads\n")
    ended = saccade("augment", tmp_path / "mono.es", "--back", model, "--out", tmp_path / "back", "--tag", "<BT>")
    assert ended.code == 0
    source, target = tmp_path / "back" / "source.txt", tmp_path / "back" / "target.txt"
    assert ended.lines[1].strip() == f"--mix-source {source} --mix-target {target} --set 'data.symbols=[\"<BT>\"]'"
    assert target.read_text() == "two men talk\n\nshe reads\n"
    assert len(source.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("augment", "mono.es", "--back", "m"), "`--back` and `--out` must be given"),
        (("augment", "mono.es", "--back", "m", "--out", "o", "--top-k", 3), "`--top-k` must come with --sample"),
        (("distill", "m", "--source", "a.en"), "`--out` must be given"),
        (
            ("improve", "--source", "a.en", "--target", "a.es", "--out", "o"),
            "`--target-text` and `--out` must be given",
        ),
        (("train", "--source", "a.en", "--target", "a.es", "--adapters", 4), "`--adapters` must come with --from"),
        (("train", "--from", "nowhere", "--source", "a.en", "--target", "a.es"), "must be a folder of a model"),
        (("train", "--source", "a.en", "--target", "a.es", "--mix-share", 0.5), "must come with files to mix in"),
    ],
)
def test_what_is_missing_or_wrong_is_said_in_one_line(saccade, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    ended = saccade(*arguments)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not any(tmp_path.iterdir())
