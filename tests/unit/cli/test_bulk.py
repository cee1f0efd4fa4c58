"""`saccade bulk` with one worker in this process, beside the verbs whose output it must give."""

import shutil

import pytest

WORDS = ["one", "dog", "runs", "two", "men", "talk", "the", "old", "school", "is", "behind", "street", "she", "reads"]
SMALL = ("--window", 3, "--shard-lines", 5)


@pytest.fixture
def lines(tmp_path):
    """Lines of all kinds: usual ones, empty, no text, and too long for the model."""
    path = tmp_path / "lines.txt"
    text = [f"{' '.join(WORDS[number % 7 :][: number % 5])}" for number in range(16)]
    content = "".join(f"{line}\n" for line in text).encode().splitlines(keepends=True)
    content[7], content[12] = b"\xff\xfe\n", " ".join(WORDS * 4).encode() + b"\n"
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(content) + b"she reads")
    return path


@pytest.mark.parametrize(
    "options",
    [
        ("--on-error", "skip", "--json", "--nbest", 2),
        pytest.param(("--on-error", "copy", "--scores"), marks=pytest.mark.slow),
        pytest.param(("--on-error", "skip", "--sample", "--truncate", "--no-split"), marks=pytest.mark.slow),
    ],
    ids=lambda options: options[2],
)
def test_shards_give_the_bytes_and_the_words_of_one_process(saccade, model, lines, tmp_path, options):
    names = ("one.txt", "one.jsonl", "bulk.txt", "bulk.jsonl")
    one, one_report, bulk, bulk_report = (tmp_path / name for name in names)
    whole = saccade(
        *("translate", model, "--input", lines, "--output", one, "--report", one_report, "--window", 3, *options)
    )
    done = saccade(*("bulk", "translate", model, lines, "--output", bulk, "--report", bulk_report, *SMALL, *options))
    assert (done.code, done.err, done.out) == (whole.code, whole.err, "")
    assert bulk.read_bytes() == one.read_bytes()
    assert bulk_report.read_bytes() == one_report.read_bytes()
    assert one_report.read_bytes()


def test_a_bad_line_stops_it_with_the_same_error_and_the_shards_before_it_are_kept(saccade, model, lines, tmp_path):
    alone = saccade("translate", model, "--input", lines)
    command = ("bulk", "translate", model, lines, "--output", tmp_path / "out", *SMALL)
    first = saccade(*command)
    assert (first.code, first.err.splitlines()[-1]) == (2, alone.err.splitlines()[-1])
    finished = {path: path.stat().st_mtime_ns for path in (tmp_path / "out.bulk").glob("0*.json")}
    assert len(finished) == 1
    assert saccade(*command) == first
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert not (tmp_path / "out").exists()


def test_pairs_are_scored_as_by_the_verb_of_that_name(saccade, model, tmp_path, monkeypatch):
    for name, step in (("s", 1), ("t", 3)):
        lines = (" ".join(WORDS[step * number % 7 :][: 1 + number % 5]) for number in range(23))
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    pairs = [tmp_path / name for name in ("s", "t")]
    with monkeypatch.context() as patch:
        patch.setattr("saccade.serving.pair_scoring.SCORED_TOGETHER", 4)
        done = saccade(
            "bulk", "score", model, pairs[0], "--target", pairs[1], "--output", tmp_path / "bulk", *SMALL[2:]
        )
        assert done.code == 0, done.err
    saccade("score", model, "--source", pairs[0], "--target", pairs[1], "--output", tmp_path / "one")
    assert (tmp_path / "bulk").read_bytes() == (tmp_path / "one").read_bytes()


def test_what_was_begun_goes_on_with_the_same_input_model_and_options_only(
    saccade, model, make_other_model, text, tmp_path
):
    out = tmp_path / "out"

    def bulk(*more, model=model):
        return saccade("bulk", "translate", model, text, "--output", out, "--window", 1, "--shard-lines", 1, *more)

    def refused(ended, *words):
        assert (ended.code, out.exists()) == (2, False)
        (line,) = ended.err.splitlines()
        assert line.startswith("error: ")
        for word in words:
            assert word in line

    good = text.read_bytes()
    text.write_bytes(good + b"\xff\n")
    assert bulk().code == 2
    refused(bulk("--beam", 3), "`size`", "out.bulk", "begin again")
    refused(bulk(model=make_other_model()), "`model`")
    refused(bulk("--window", 2), "`window`")
    refused(bulk("--shard-lines", 2), "`shard_lines`")
    text.write_bytes(good)
    refused(bulk(), "text.txt", "has changed")
    text.write_bytes(good[:-3] + b"ee\n\xff\n")
    refused(bulk(), "text.txt", "has changed")
    text.write_bytes(good + b"\xff\n")  # another time, the same lines
    assert "not-utf-8" not in bulk().err
    shutil.rmtree(tmp_path / "out.bulk")
    text.write_bytes(good)
    assert bulk().code == 0
    assert out.read_text() == saccade("translate", model, "--input", text).out
    written = out.stat().st_ino
    assert bulk().code == 0
    assert out.stat().st_ino == written
    out.write_text("mine")
    assert "must be a new file" in bulk().err
    assert out.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("translate", "MODEL", "TEXT"), "--output"),
        (("translate", "MODEL", "TEXT", "--output", "TEXT"), "must not be the input"),
        (("translate", "MODEL", "TEXT", "--output", "/dev/null"), "must be a file"),
        (("score", "MODEL", "TEXT", "--output", "/"), "must be a file, but is a folder"),
        (("translate", "MODEL", "missing", "--output", "OUT"), "missing"),
        (("translate", "MODEL", "TEXT", "--output", "OUT", "--report", "OUT"), "another file"),
        (("translate", "MODEL", "TEXT", "--output", "OUT", "--workers", 0), "workers"),
        (("score", "MODEL", "TEXT", "--output", "OUT", "--on-error", "copy"), "stop or skip"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_done_is_refused_before_anything_is_written(saccade, model, text, tmp_path, arguments, words):
    named = {"MODEL": model, "TEXT": text, "OUT": tmp_path / "out"}
    done = saccade("bulk", *(named.get(word, word) for word in arguments))
    assert done.code == 2
    assert words in done.err.splitlines()[-1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["text.txt"]
