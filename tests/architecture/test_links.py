"""Every link between our own documents leads somewhere: to a file that is there, and to a heading that it has."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(`+)[^`].*?\1", re.DOTALL)


def headings(page):
    """The anchors that a code host and the site give to the headings of a page."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page):
    text = INLINE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), f"{target} is not there"
        if anchor:
            assert anchor in headings(there), f"{target} has no such heading"


def test_every_page_has_its_place_in_the_navigation():
    listed = set(re.findall(r'"([\w/-]+\.md)"', (ROOT / "zensical.toml").read_text(encoding="utf-8")))
    assert listed == {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
