"""What a chapter prints is what its cells print; and every chapter has the parts that the first page promises."""

import io
import re
from contextlib import redirect_stdout

import pytest
from tests.course.chapters import CHAPTERS, cells
from tools.course.catalogue import FIGURES

DECIMAL = re.compile(r"\d+\.\d+")


def names(path):
    return path.stem


@pytest.mark.parametrize("chapter", CHAPTERS, ids=names)
def test_the_cells_of_a_chapter_print_what_stands_below_them(chapter):
    room = {"__name__": "cell"}
    shown = cells(chapter)
    assert any(cell.printed for cell in shown)
    for cell in shown:
        with redirect_stdout(io.StringIO()) as out:
            exec(compile(cell.code, chapter.name, "exec"), room)
        assert out.getvalue() == (cell.printed or "")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=names)
def test_a_chapter_has_a_figure_an_experiment_and_three_questions_whose_answers_lead_somewhere(chapter):
    text = chapter.read_text(encoding="utf-8")
    figures = re.findall(r"!\[[^\]]+\]\(figures/([a-z-]+)\.svg\)", text)
    assert len(figures) == 1
    assert figures[0] in FIGURES
    experiment = text[text.index("## Try it") : text.index("## Three questions")]
    assert "```sh\nsaccade " in experiment
    answers = re.findall(r"<details markdown>\n<summary>Answer</summary>\n\n(.*?)\n\n</details>", text, re.DOTALL)
    assert len(answers) == 3
    for answer in answers:
        assert re.search(r"\]\([^)]+\.md[#)]", answer)


def test_every_figure_of_the_comparison_stands_in_a_document_of_measurements():
    (chapter,) = (path for path in CHAPTERS if path.stem.endswith("what-each-idea-bought"))
    text = chapter.read_text(encoding="utf-8")
    worked_out = {number for cell in cells(chapter) for number in DECIMAL.findall(f"{cell.code} {cell.printed}")}
    sources = (
        (chapter.parents[1] / name).read_text(encoding="utf-8")
        for name in ("lineage.md", "lineage-systems.md", "claims.md")
    )
    measured = {number for source in sources for number in DECIMAL.findall(source)}
    assert len(measured & set(DECIMAL.findall(text))) > 20
    assert set(DECIMAL.findall(text)) - worked_out <= measured


def test_the_chapters_are_listed_in_order_on_the_first_page():
    listed = re.findall(r"\]\((\d\d-[a-z-]+\.md)\)", (CHAPTERS[0].parent / "index.md").read_text(encoding="utf-8"))
    assert listed == [path.name for path in CHAPTERS]
    for number, path in enumerate(CHAPTERS, 1):
        assert path.read_text(encoding="utf-8").startswith(f"# {number}. ")
