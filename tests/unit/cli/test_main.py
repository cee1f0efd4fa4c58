import os
import subprocess
import sys

import pytest

import saccade as package
from saccade.data.tasks import TASKS


@pytest.mark.parametrize(
    "verb",
    [(), ("train",), ("translate",), ("evaluate",), ("data", "fetch"), ("demo",), ("claims",), ("claims", "run")],
)
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


HEAVY = {"matplotlib", "triton", "starlette", "uvicorn", "transformers", "onnx", "beartype", "markdown_it"}
HEAVY |= {"torch._dynamo", "torch._inductor", "torch.distributed.fsdp", "torch.utils.tensorboard"}


def loaded_by(*arguments):
    """What the command line with these arguments prints, and the modules it loads that torch alone does not."""
    program = (
        "import sys\nfrom saccade.cli.main import main\n"
        f"sys.argv = ['saccade', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('loaded:', *sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    plain = subprocess.run(
        [sys.executable, "-c", "import sys, torch; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    # What torch itself loads is its own affair.
    return done.stdout, set(done.stderr.rpartition("loaded:")[2].split()) - set(plain.stdout.split())


@pytest.mark.slow
def test_translating_loads_nothing_it_does_not_use():
    printed, ours = loaded_by("translate", "en-es", "How are you?")
    assert printed.strip()
    assert "saccade.serving.translator" in ours
    heavy = {"rich", "sacrebleu", "torch.optim", "saccade.documents.formats"} | HEAVY
    heavy |= {f"saccade.{room}" for room in ("training", "evaluation", "recipes")}
    heavy |= {
        "saccade.data.config",
        "saccade.data.prepare",
        "saccade.data.prepared_corpus",
        "saccade.data.catalogue",
        "saccade.data.fetch",
        "saccade.data.batches",
    }
    assert ours & heavy == set()


@pytest.mark.slow
def test_training_loads_nothing_it_does_not_use(tmp_path):
    """Its start is as long as a short training itself."""
    settings = [part for each in ("steps=2", "validate_every=1") for part in ("--set", f"training.{each}")]
    printed, ours = loaded_by("train", "tiny", "--out", str(tmp_path / "run"), "--device", "cpu", *settings)
    assert "finished after 2 steps" in printed
    assert "saccade.training.loop" in ours
    heavy = {"sympy", "scipy", "ctranslate2"} | {
        f"saccade.{room}" for room in ("documents.formats", "explorer", "server")
    }
    assert ours & (heavy | HEAVY) == set()


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
        "claims",
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


def test_an_error_of_the_system_is_one_line(saccade, tmp_path):
    ended = saccade("explore", "--open", tmp_path / "none.json")
    assert ended.code == 2
    assert ended.err.startswith(f"error: `{tmp_path}/none.json` cannot be used: No such file or directory. ")
    assert ended.err.count("\n") == 1


def test_models_and_recipes_are_listed(saccade):
    listed = saccade("models").lines
    places = [listed.index(task) for task in ("translation", "language-modelling", "classification")]
    assert places == sorted(places)
    years = [int(line.split()[1]) for line in listed[places[0] + 2 : places[1] - 1]]
    assert years == sorted(years)
    assert any(line.split()[:2] == ["transformer", "2017"] for line in listed[places[0] : places[1]])
    assert any(line.split()[:1] == ["self-attentive"] for line in listed[places[2] :])
    assert "vaswani2017-base" in saccade("recipes").out


def test_training_names_every_task(saccade):
    said = " ".join(saccade("train", "--help").out.split())
    assert all(name in said for name in TASKS)


def test_a_recipe_is_printed_whole(saccade):
    import tomllib

    assert tomllib.loads(saccade("recipes", "tiny").out)["name"] == "tiny"


def test_corpora_are_listed_with_their_licences(saccade):
    out = saccade("data", "list").out
    assert "tatoeba-en-es" in out
    assert "CC-BY 2.0 FR" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'model'. See `saccade translate --help`."),
        (("en-es", "--beam", "x"), "Invalid value for '--beam'"),
        (("en-es", "--beeam", "3"), "No such option: --beeam"),
    ],
)
def test_a_mistyped_option_is_one_line(saccade, arguments, message):
    ended = saccade("translate", *arguments)
    assert ended.code == 2
    assert ended.err.startswith(f"error: {message}")
    assert ended.err.count("\n") == 1


def test_no_verb_is_cut_short_in_the_list(saccade):
    assert "..." not in saccade("--help").out.split("Commands:")[1]
    assert "..." not in saccade("data", "--help").out.split("Commands:")[1]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_program_may_be_started_with_its_streams_closed(closed):
    command = f"{sys.executable} -m saccade recipes {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert ("bahdanau2015" in done.stdout) == (closed in ("<&-", "2>&-"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no such device")
def test_an_error_that_cannot_be_said_still_has_its_code():
    command = f"{sys.executable} -m saccade recipes --nonsense 2>/dev/full"
    assert subprocess.run(["bash", "-c", command], capture_output=True, check=False).returncode == 2


def test_ctrl_c_while_the_program_is_loaded_is_one_line():
    program = (
        "import sys, types\n"
        "class Loading(types.ModuleType):\n"
        "    def __getattr__(self, name): raise KeyboardInterrupt\n"
        "sys.modules['typer'] = Loading('typer')\n"
        "from saccade.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.slow
def test_a_reader_who_has_gone_is_no_error():
    program = f"{sys.executable} -m saccade.cli.main recipes 2>&1 >&3 | cat >&2"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {{ {program}; }} 3>&1 | true"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code", "said"), [(["--version"], 0, "saccade "), (["fly"], 2, "No such command 'fly'")]
)
@pytest.mark.parametrize(("processes", "takes_apart"), [("1", True), ("2", False)])
def test_one_of_several_processes_leaves_at_once(arguments, code, said, processes, takes_apart):
    """Threads of a group of processes may still be running: taking things apart under them aborts the process."""
    program = (
        "import atexit, sys; from saccade.cli.main import main; atexit.register(print, 'taken apart'); "
        f"sys.argv[1:] = {arguments!r}; main()"
    )
    environment = {**os.environ, "WORLD_SIZE": processes}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == code
    assert said in ended.stdout + ended.stderr
    assert ("taken apart" in ended.stdout) == takes_apart


def test_rows_of_a_table_are_single_lines_when_nobody_looks(saccade):
    assert all(line.startswith("  ") and line[2] != " " for line in saccade("recipes").lines)


def test_a_table_fits_the_terminal(monkeypatch, capsys):
    from saccade.cli.inspect import table

    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    table([("name", "many words " * 9), ("other", "")])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 50
    assert [line for line in lines if line[2] != " "] == [lines[0], lines[-1]]


def test_a_table_with_wide_columns_puts_the_last_below(monkeypatch, capsys):
    from saccade.cli.inspect import table

    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    table([("a name of thirty and more letters", "many words " * 9)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 60
    assert lines[0] == "  a name of thirty and more letters"


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't")]
)
def test_memory_that_is_full_is_one_line_that_says_what_to_do(saccade, model, monkeypatch, error):
    def full(*_, **__):
        raise error

    monkeypatch.setattr("saccade.serving.loading.load", full)
    ended = saccade("translate", model, "one dog")
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert "memory is full. Use smaller batches" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (("train", "nobody"), "-1"),
        (("compare", "--recipe", "nobody"), "-1"),
        (("claims", "run", "nobody"), "-1"),
        (("translate", "nobody"), None),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_trains_keeps_the_memory_of_tensors_that_are_gone(saccade, monkeypatch, arguments, kept):
    monkeypatch.setenv("MIMALLOC_PURGE_DELAY", "")  # so that it is put back afterwards
    monkeypatch.delenv("MIMALLOC_PURGE_DELAY")
    assert saccade(*arguments).code == 2
    assert os.environ.get("MIMALLOC_PURGE_DELAY") == kept
