"""Every notebook runs from its first cell to its last, in a folder of its own, and says what it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
SAYS = {
    "train_your_first_model": ("f a c e d -> d e c a f", "loss"),
    "see_it_attend": ("¿Dónde está la estación de tren?", "rows sum to one: True", "attends.html"),
    "add_a_model": ("stepwise equals at once: True", "the cat sleeps"),
    "compare_systems": ("the Transformer is less surprised: True", "path from the source: n + 8", "report.html"),
    "fine_tune": ("before: d c b a", "a b c d -> a b c d", "j i h g f -> j i h g f"),
}


def test_every_notebook_is_known_here_and_on_the_page():
    listed = re.findall(r"\]\((\w+)\.py\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert listed == list(SAYS)
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_a_notebook_is_cells_whose_links_lead_somewhere(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert "format_name: percent" in text
    assert text.count("\n# %%") >= 5
    for target in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (FOLDER / target).exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", SAYS)
def test_a_notebook_runs_and_says_what_it_promises(name, tmp_path):
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    done = subprocess.run(command, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for words in SAYS[name]:
        assert words in done.stdout
