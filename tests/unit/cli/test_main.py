import subprocess
import sys

import pytest

import saccade as package


@pytest.mark.parametrize("verb", [(), ("train",), ("translate",), ("evaluate",), ("data", "fetch"), ("demo",)])
def test_help_does_not_load_torch(verb):
    program = (
        "import sys\nfrom saccade.cli.main import main\n"
        f"sys.argv = ['saccade', *{verb!r}, '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "loaded = {'torch', 'numpy', 'sentencepiece', 'rich'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage: saccade" in done.stdout


def test_every_verb_of_the_design_is_there(saccade):
    out = saccade("--help").out
    for verb in [
        "demo",
        "train",
        "translate",
        "evaluate",
        "score",
        "data",
        "recipes",
        "models",
        "verify-resume",
        "replay",
    ]:
        assert f"\n  {verb} " in out


def test_version(saccade):
    ended = saccade("--version")
    assert (ended.code, ended.out) == (0, f"saccade {package.__version__}\n")


def test_an_unknown_verb_is_a_usage_error(saccade):
    ended = saccade("trian")
    assert ended.code == 2
    assert "trian" in ended.err


def test_an_error_of_the_user_is_one_line(saccade):
    ended = saccade("translate", "no-such-model", "text")
    assert ended.code == 2
    assert ended.err.startswith("error: `model` must be ")
    assert ended.err.count("\n") == 1


def test_an_error_of_the_system_is_one_line(saccade, model, tmp_path):
    ended = saccade("translate", model, "text", "--output", tmp_path / "none" / "out.txt")
    assert ended.code == 2
    assert ended.err == f"error: `{tmp_path}/none/out.txt`: No such file or directory.\n"


def test_models_and_recipes_are_listed(saccade):
    assert "transformer" in saccade("models").out
    assert "vaswani2017-base" in saccade("recipes").out


def test_a_recipe_is_printed_whole(saccade):
    import tomllib

    assert tomllib.loads(saccade("recipes", "tiny").out)["name"] == "tiny"


def test_corpora_are_listed_with_their_licences(saccade):
    out = saccade("data", "list").out
    assert "tatoeba-en-es" in out
    assert "CC-BY 2.0 FR" in out
