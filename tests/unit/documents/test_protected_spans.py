"""What is copied exactly, and what is text after all."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.documents import protected_spans
from saccade.documents.protected_spans import Span, compile_patterns, find_spans, occurrences
from saccade.errors import ConfigError


def spans(text, *patterns):
    return [span.text for span in find_spans(text, compile_patterns(patterns))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Visit https://example.com/a_(b)?x=1&y=2. Now!", ["https://example.com/a_(b)?x=1&y=2"]),
        ("(See www.example.org, or example.com/foo.)", ["www.example.org", "example.com/foo"]),
        ("Write to john.doe+x@mail.example.co.uk, please.", ["john.doe+x@mail.example.co.uk"]),
        ("She paid $1,234.56 for 3 tickets.", ["$1,234.56", "3"]),
        ("25 % or 25%, €3.50, 3,50 €, US$ 5, 100 USD", ["25 %", "25%", "€3.50", "3,50 €", "US$ 5", "100 USD"]),
        ("-5 °C at 12 km/h for 5km", ["-5 °C", "12 km/h", "5km"]),
        (
            "12/05/2024, 2024-05-12T10:00:00Z, 14:30 and 2:30 pm",
            ["12/05/2024", "2024-05-12T10:00:00Z", "14:30", "2:30"],
        ),
        ("Call +34 600 123 456, 10-20 times; 1.2.3, 1/2", ["+34 600 123 456", "10-20", "1.2.3", "1/2"]),
        (
            "/usr/bin/a.sh, C:\\Users\\x.txt, ~/notes.md, report.pdf.",
            ["/usr/bin/a.sh", "C:\\Users\\x.txt", "~/notes.md", "report.pdf"],
        ),
        (
            "Set YOUR_API_KEY, not my_file.txt or _this_; [[USER]] sees [[Water]].",
            ["YOUR_API_KEY", "my_file.txt", "[[USER]]"],
        ),
        (
            "6 628 or 1 250 000,5 people in 2019, 300 of them; 25 000 $, 10 200 30, 2019 300 and 5 12",
            ["6 628", "1 250 000,5", "2019", "300", "25 000 $", "10", "200", "30", "2019", "300", "5", "12"],
        ),
        ("git clone git@code.example:team/x.git: done", ["git@code.example:team/x.git"]),
        ("Run `ls -l`, or ``a `b` c``.", ["`ls -l`", "``a `b` c``"]),
        (
            "{name} {0} {{count}} %s %(x)d ${x} <0>link</0>",
            ["{name}", "{0}", "{{count}}", "%s", "%(x)d", "${x}", "<0>", "</0>"],
        ),
        ("Nice 😀👍🏽 👨‍👩‍👧 ❤️ 🇪🇸 #tag @someone, hi", ["😀", "👍🏽", "👨‍👩‍👧", "❤️", "🇪🇸", "#tag", "@someone"]),
        ("参见https://example.com/abc。价格是100元。", ["https://example.com/abc", "100"]),
        ("The 1st MP3 of the 1990s, 4x4, COVID-19, he/she and/or you, one, 100% sure", ["100%"]),
        ("", []),
    ],
)
def test_what_is_protected_in_a_sentence(text, expected):
    assert spans(text) == expected


def test_a_pattern_of_the_user_comes_before_the_known_kinds():
    assert spans("Part AB-12.5 costs 5 €.", r"AB-[\d.]+\b") == ["AB-12.5", "5 €"]


@pytest.mark.parametrize(("pattern", "message"), [("a(", "is none"), ("x*", "nothing at all")])
def test_a_pattern_that_cannot_be_used_is_refused(pattern, message):
    with pytest.raises(ConfigError, match=message):
        compile_patterns([pattern])


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab1.,:/@#%${}()<>`-+ \\€é中😀\u200d\n", max_size=60))
def test_spans_are_parts_of_the_text_in_order_and_apart(text):
    end = 0
    for span in find_spans(text):
        assert end <= span.start < span.end
        assert text[span.start : span.end] == span.text
        end = span.end


PARTS = st.sampled_from(
    [
        "USD",
        " ",
        "5",
        "\u00a0",
        "a.pdf",
        "www.x.org",
        "http://a",
        "@b",
        "{x}",
        "$",
        "%s",
        "-",
        "+49 30 1234567",
        "`c d`",
        "/e",
    ]
    + [
        "C:\\f",
        "#g",
        "\U0001f600",
        "*\ufe0f\u20e3",
        "\U0001f1e9\U0001f1ea",
        "km",
        "word",
        ".",
        "(",
        "</1>",
        "é",
        "中",
        "EUR",
    ]
)


@given(st.lists(PARTS, max_size=12).map("".join) | st.text(max_size=20))
@settings(max_examples=300)
def test_to_begin_where_the_first_sign_is_misses_nothing(text):
    """With a line of its own before it that is a span, all of the text is looked through."""
    _, *all_of_it = find_spans(f"\U0001f600\n{text}")
    assert find_spans(text) == [replace(span, start=span.start - 2, end=span.end - 2) for span in all_of_it]


ODD_PARTS = PARTS | st.sampled_from(
    [
        "www.",
        "--",
        "_",
        "a_b",
        "1\u20e3",
        "\u0660",
        "\u00b3",
        "\u00bd",
        "\uff41",
        "[[A]]",
        "10:30",
        "mailto:",
        ":a/b",
        "\n",
    ]
)


@given(st.lists(ODD_PARTS, max_size=12).map("".join) | st.text(max_size=20))
@settings(max_examples=150, deadline=None)
def test_to_look_at_words_with_signs_alone_misses_nothing(text):
    """The next span is the one that the pattern finds when it is tried at every place."""
    for place in range(len(text)):
        found, plain = protected_spans._next(text, place), protected_spans._any_span().search(text, place)
        assert (found and (found.span(), found.lastgroup)) == (plain and (plain.span(), plain.lastgroup))


@pytest.mark.parametrize(
    "part",
    [
        "/",
        "a.",
        "1,",
        "%",
        "{",
        "`",
        "a/",
        "-",
        "@a.",
        "+1 ",
        "a--",
        "1-",
        "\U0001f600",
        "%0",
        ")",
        "%s ",
        "``a`",
        "a_",
    ],
)
def test_a_text_made_to_be_hard_is_read_to_its_end(part):
    """A pattern that tried every division of it, or all that follows at every place, would not come back soon."""
    assert find_spans("%0" + part * 3_000 + " 7")[-1].text == "7"


@given(
    st.lists(PARTS, max_size=12).map("".join),
    st.lists(st.sampled_from(["w.*?d", r"[a-z]+\S", "5 ?k", "x."]), max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_a_span_is_dropped_where_one_that_comes_before_it_overlaps_it(text, patterns):
    own = [
        Span(found.start(), found.end(), found.group(), "pattern")
        for pattern in compile_patterns(patterns)
        for found in pattern.finditer(text)
        if found.group().strip()
    ]
    expected = []
    for span in [*sorted(own, key=lambda one: (one.start, -one.end)), *find_spans(text)]:
        if all(span.end <= other.start or other.end <= span.start for other in expected):
            expected.append(span)
    assert find_spans(text, compile_patterns(patterns)) == sorted(expected, key=lambda one: one.start)


def test_a_name_has_no_dashes_before_it():
    assert spans("See --a.pdf, x--b.pdf") == ["a.pdf", "x--b.pdf"]


@pytest.mark.parametrize(
    ("span", "text", "count"),
    [("5", "5 de 500, 1.5 y 5.", 2), ("5%", "5% 5%", 2), ("a@b.es", "xa@b.es a@b.es", 1), ("%s", "%s y %s", 2)],
)
def test_a_span_is_counted_where_it_stands_as_a_whole(span, text, count):
    assert occurrences(span, text) == count


DIGITS_AND_MARKS = "15a\u00b2_.,: \u0663\u00e9"


@given(st.text(DIGITS_AND_MARKS, min_size=1, max_size=3), st.text(DIGITS_AND_MARKS, max_size=25))
@settings(max_examples=200, deadline=None)
def test_a_span_is_counted_as_a_pattern_counts_it(span, text):
    before = (r"(?<![^\W_])" if span[0].isalnum() else "") + (r"(?<!\d[.,:])" if span[0].isdigit() else "")
    after = (r"(?![^\W_])" if span[-1].isalnum() else "") + (r"(?![.,:]\d)" if span[-1].isdigit() else "")
    assert occurrences(span, text) == len(re.findall(before + re.escape(span) + after, text))
