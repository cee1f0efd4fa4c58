"""Every verb that takes a model takes imported ones, Marian's and NLLB; `serve` is in tests/unit/server."""

import json

import pytest

pytest.importorskip("transformers")

from tests.command_line import run_in_process
from tests.differential.huggingface_folders import m2m100_folder, marian_folder, sentences

pytestmark = pytest.mark.slow
LANGUAGES = {"marian": (), "nllb": ("--source-language", "eng_Latn", "--target-language", "spa_Latn")}
QUICKLY = ("training.steps=3", "training.warmup=2", "training.batch_tokens=200", "training.validate_every=3")


def done(*arguments):
    """What a verb writes, which must do what it is asked."""
    found = run_in_process(*arguments)
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.fixture(scope="module", params=LANGUAGES)
def work(request, tmp_path_factory):
    """A folder with an imported model and two texts."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "marian":
        model = marian_folder(folder / "downloaded")
        model.final_logits_bias[0, model.config.eos_token_id] = 6.0  # a random model goes on for ever
        model.save_pretrained(folder / "downloaded")
    else:
        m2m100_folder(folder / "downloaded", nllb=True)
    done("import", folder / "downloaded", "--out", folder / "model", *LANGUAGES[request.param])
    for side, seed in (("source", 1), ("target", 2)):
        (folder / f"{side}.txt").write_text("\n".join(sentences(seed, 12)) + "\n")
    return folder


def lines_of(path):
    return path.read_text().split("\n")[:-1]


def test_it_translates_alone_with_others_and_with_a_glossary(work):
    model, source = work / "model", work / "source.txt"
    alone, together, sure = (work / f"{name}.out" for name in ("alone", "together", "sure"))
    plain = ("--no-repair", "--no-split", "--device", "cpu", "--engine", "torch")
    done("translate", model, "--input", source, "--output", alone, *plain)
    done("translate", model, "--input", source, "--output", together, "--ensemble", model, *plain)
    assert len(lines_of(alone)) == 12
    assert lines_of(together) == lines_of(alone)  # twice the same model is that model
    word = sentences(1, 1)[0].split()[0].strip(".!?")
    (work / "terms.tsv").write_text(f"{word}\tabc\n")
    done("translate", model, "--input", source, "--output", sure, "--glossary", work / "terms.tsv", *plain)
    having = [place for place, line in enumerate(lines_of(source)) if word in line.strip(".!?").split()]
    assert having
    assert all("abc" in lines_of(sure)[place] for place in having)


def test_it_is_scored_evaluated_and_looked_into(work):
    model, source, target = work / "model", work / "source.txt", work / "target.txt"
    pairs = ("--source", source, "--device", "cpu")
    assert len(done("score", model, *pairs, "--target", target).splitlines()) == 12
    report = json.loads(done("evaluate", model, *pairs, "--reference", target, "--json"))
    assert "bleu" in json.dumps(report).lower()
    report = json.loads(done("attention", model, *pairs, "--target", target, "--limit", 3, "--json"))
    assert report
    done("explore", model, "--sentence", lines_of(source)[0], "--beam", 2, "--export", work / "page.html")
    assert "<html" in (work / "page.html").read_text()[:500]


def test_it_is_fine_tuned_compared_and_goes_elsewhere(work):
    settings = [part for change in QUICKLY for part in ("--set", change)]
    files = [part for split in ("", "valid-", "test-") for side in ("source", "target")
             for part in (f"--{split}{side}", work / f"{side}.txt")]  # fmt: skip
    begin = ("train", "--from", work / "model", *files)
    for name, further in (("tuned", ()), ("adapted", ("--adapters", 2))):
        done(*begin, "--out", work / name, "--device", "cpu", *settings, *further)
        done("translate", work / name, "--text", "abc", "--beam", 1, "--device", "cpu")
    done("compare", work / "tuned", work / "adapted", "--out", work / "comparison")
    assert (work / "comparison" / "report.json").is_file()
    pytest.importorskip("ctranslate2")
    done("export", work / "tuned", "--to", "ctranslate2", "--out", work / "elsewhere")
    student = ("--student", "small", *settings, "--set", "model.width=16", "--set", "model.heads=2")
    done(
        "distill",
        work / "model",
        "--source",
        work / "source.txt",
        *student,
        "--out",
        work / "student",
        "--device",
        "cpu",
    )
