from html.parser import HTMLParser

from saccade.pages.html import html_page


class Elements(HTMLParser):
    """The elements that are open, and the text of the title."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.title = ""

    def handle_starttag(self, tag, _attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "title":
            self.title += data


def test_a_page_is_closed_and_its_title_is_text():
    parser = Elements()
    parser.feed(html_page("5 < 7 & more", "p { margin: 0; }", "<p>body</p>"))
    assert parser.open == []
    assert parser.title == "5 < 7 & more"


def test_own_style_follows_the_common_one():
    text = html_page("title", ".own { color: var(--good); }", "")
    assert text.index("--good:") < text.index(".own {") < text.index("</style>")


def test_a_page_fetches_nothing():
    text = html_page("title", "", "")
    assert "<script" not in text
    assert "@import" not in text
    assert "url(" not in text
