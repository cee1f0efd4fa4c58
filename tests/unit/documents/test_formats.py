"""Files of every format: what is text is translated, all else keeps every byte.

The translation of the tests writes capitals, word for word, so that what was translated can be seen.
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.unit.documents.trees import MARKED_UP

from saccade.documents.formats import FORMATS, find_format
from saccade.documents.markup_placement import written
from saccade.errors import InputError


def in_capitals(document):
    def one(sentence):
        words = sentence.text.upper().split()
        return written(sentence, " ".join(words), [(place, place) for place in range(len(words))])

    return document.written([one(sentence) for sentence in document.sentences])


def copied(document):
    return document.written([sentence.verbatim for sentence in document.sentences])


def translated(name, content, translate=in_capitals):
    content = content.encode() if isinstance(content, str) else content
    return find_format(Path(name)).rewritten(content, "en", translate)


HTML = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>My dogs &amp; cats</title>
<style>p { color: red }</style><script>if (a < b) alert("Hello there. <p>");</script></head>
<body>
<!-- a comment. -->
<h1 class=x>The caf&eacute; is <em>open</em>.</h1>
<p>I have a dog. His <b>name
  is</b> Max.<br>He likes <a href="a" title="A nice link">to <i>run</i></a> &lt;fast&gt;.
<ul><li>One thing<li>Two <code>x &lt; y</code> things, <span translate="no">Foo <b>Bar</b></span> too.</ul>
<pre>Do not touch. This.</pre>
<div class="a notranslate">Nor <p>this</p>.</div>
<img src="a.png" alt='A dog. It "runs".'><input placeholder="Your name"> AT&T & co
</body></html>
"""
HTML_IN_CAPITALS = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>MY DOGS &amp; CATS</title>
<style>p { color: red }</style><script>if (a < b) alert("Hello there. <p>");</script></head>
<body>
<!-- a comment. -->
<h1 class=x>THE CAFÉ IS <em>OPEN</em>.</h1>
<p>I HAVE A DOG. HIS <b>NAME IS</b> MAX.<br>HE LIKES <a href="a" title="A NICE LINK">TO <i>RUN</i></a> &lt;FAST&gt;.
<ul><li>ONE THING<li>TWO <code>x &lt; y</code> THINGS, <span translate="no">Foo <b>Bar</b></span> TOO.</ul>
<pre>Do not touch. This.</pre>
<div class="a notranslate">Nor <p>this</p>.</div>
<img src="a.png" alt='A DOG. IT &quot;RUNS&quot;.'><input placeholder="YOUR NAME"> AT&amp;T &amp; CO
</body></html>
"""
MARKDOWN = """---
title: Do not touch. This.
---

# The **old** school

I have a dog. His name
is Max, and he likes
to run in the [big park](http://x.org/a_b "Title").

> Quoted text goes
> over two lines. It is `code x`.

- One thing
- Two *things*,
  and more of them.
    1. Deep. Very deep.

| Name | What it is |
|------|:----------:|
| Dog  | An animal  |
| `x`  | 12         |

```python
print("Hello. World")
```

    indented code. Stays.

<div align="center">HTML block. Stays.</div>

Setext heading
==============

Hard break here\x20\x20
and go on. ![An image](a.png) and <b>bold</b>\\
next line.

[ref]: http://x.org "A title"
"""
MARKDOWN_IN_CAPITALS = """---
title: Do not touch. This.
---

# THE **OLD** SCHOOL

I HAVE A DOG. HIS NAME
IS MAX, AND HE LIKES
TO RUN IN THE [BIG PARK](http://x.org/a_b "Title").

> QUOTED TEXT GOES
> OVER TWO LINES. IT IS `code x`.

- ONE THING
- TWO *THINGS*,
  AND MORE OF THEM.
    1. DEEP. VERY DEEP.

| NAME | WHAT IT IS |
|------|:----------:|
| DOG  | AN ANIMAL  |
| `x`  | 12         |

```python
print("Hello. World")
```

    indented code. Stays.

<div align="center">HTML block. Stays.</div>

SETEXT HEADING
==============

HARD BREAK HERE\x20\x20
AND GO ON. ![AN IMAGE](a.png) AND <b>BOLD</b>\\
NEXT LINE.

[ref]: http://x.org "A title"
"""
SUBRIP = """1
00:00:01,000 --> 00:00:03,000
I have a dog and he likes
to run in the park

2
00:00:03,100 --> 00:00:05,000
every day. <i>His name
is Max.</i>

3
00:00:09,000 --> 00:00:10,000
- Where are you?
- I am here.
"""
SUBRIP_IN_CAPITALS = """1
00:00:01,000 --> 00:00:03,000
I HAVE A DOG AND HE LIKES
TO RUN IN THE PARK

2
00:00:03,100 --> 00:00:05,000
EVERY DAY. <i>HIS NAME
IS MAX.</i>

3
00:00:09,000 --> 00:00:10,000
- WHERE ARE YOU?
- I AM HERE.
"""
WEBVTT = (
    "WEBVTT\r\n\r\nNOTE a comment\r\n\r\nintro\r\n00:01.000 --> 00:03.000 align:start\r\n<v Ann>Hello there.\r\n\r\n"
    "00:03.000 --> 00:04.000\r\n<v Bob>Good\r\nmorning!"
)
WEBVTT_IN_CAPITALS = (
    "WEBVTT\r\n\r\nNOTE a comment\r\n\r\nintro\r\n00:01.000 --> 00:03.000 align:start\r\n<v Ann>HELLO THERE.\r\n\r\n"
    "00:03.000 --> 00:04.000\r\n<v Bob>GOOD\r\nMORNING!"
)
CATALOGUE = r"""# Comment
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"

#, fuzzy, python-format
msgctxt "menu"
msgid "Open the \"file\"."
msgstr ""

msgid "Done already"
msgstr "Hecho"

msgid "dog"
msgid_plural "dogs"
msgstr[0] ""
msgstr[1] ""

msgid ""
"First line. Second.\n"
"Third line.\n"
msgstr ""

#~ msgid "Old"
#~ msgstr ""
"""
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <trans-unit id="1">
    <source>Click <g id="1">here</g> &amp; go<x id="2"/>. Use <bpt id="3">&lt;</bpt>a door<ept id="3"/>.</source>
  </trans-unit>
  <trans-unit id="2"><source>Done.</source><target>Hecho.</target></trans-unit>
  <trans-unit id="3" translate="no"><source>Not me.</source></trans-unit>
  <trans-unit id="4"><source>Empty.</source><target/></trans-unit>
  <trans-unit id="5"><source>Other.</source><target state="new"></target>
    <alt-trans><source>No.</source></alt-trans></trans-unit>
  <segment>
    <source>Hello <pc id="1">big <ph id="2"/></pc> world.</source>
  </segment>
</xliff>
"""
XLIFF_TARGETS = """\
    <target>CLICK <g id="1">HERE</g> &amp; GO<x id="2"/>. USE <bpt id="3">&lt;</bpt>A DOOR<ept id="3"/>.</target>
    <target>HELLO <pc id="1">BIG <ph id="2"/></pc> WORLD.</target>
"""


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("a.html", HTML, HTML_IN_CAPITALS),
        ("a.md", MARKDOWN, MARKDOWN_IN_CAPITALS),
        ("a.md", MARKDOWN.replace("\n", "\r\n"), MARKDOWN_IN_CAPITALS.replace("\n", "\r\n")),
        ("a.srt", SUBRIP, SUBRIP_IN_CAPITALS),
        ("a.vtt", WEBVTT, WEBVTT_IN_CAPITALS),
    ],
    ids=["html", "markdown", "markdown with CRLF", "srt", "vtt"],
)
def test_text_is_translated_and_all_else_stays(name, source, target):
    assert translated(name, source).decode() == target
    assert translated(name, source, copied).decode() == source


def test_a_catalogue_gets_the_translations_that_are_missing():
    found = translated("a.po", CATALOGUE).decode()
    expected = CATALOGUE
    for source, target in [
        (r'"Open the \"file\"."' + '\nmsgstr ""', r'"Open the \"file\"."' + "\n" + r'msgstr "OPEN THE \"FILE\"."'),
        ('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "DOG"\nmsgstr[1] "DOGS"'),
        (
            '"Third line.\\n"\nmsgstr ""\n',
            '"Third line.\\n"\nmsgstr ""\n"FIRST LINE. SECOND.\\n"\n"THIRD LINE.\\n"\n',
        ),
    ]:
        assert expected.count(source) == 1
        expected = expected.replace(source, target)
    assert found == expected
    assert translated("a.po", found) == found.encode()


def test_xliff_gets_a_target_for_each_source_that_has_none():
    found = translated("a.xliff", XLIFF).decode()
    first, second = XLIFF_TARGETS.splitlines(keepends=True)
    expected = XLIFF.replace("  </trans-unit>\n", f"{first}  </trans-unit>\n", 1).replace(
        "  </segment>", f"{second}  </segment>"
    )
    expected = expected.replace("<target/>", "<target>EMPTY.</target>").replace(
        '"new"></target>', '"new">OTHER.</target>'
    )
    assert found == expected
    assert translated("a.xliff", found) == found.encode()


@settings(max_examples=25, deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(alphabet='aé"\\\n .漢', max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="ab ", max_size=3), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    st.booleans(),
)
def test_the_strings_of_json_are_translated_and_nothing_else(value, ascii_only):
    def expected(one):
        if isinstance(one, str):
            return one.upper()
        if isinstance(one, dict):
            return {key: expected(inner) for key, inner in one.items()}
        return [expected(inner) for inner in one] if isinstance(one, list) else one

    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    assert translated("a.json", text, copied).decode() == text
    found = translated("a.json", text).decode()
    assert _one_space(json.loads(found)) == _one_space(expected(value))


def _one_space(value):
    return re.sub(" +", " ", json.dumps(value))


# fmt: off
PIECES = [
    "A dog. It runs.", " ", "\n", "\r\n", "\n\n", "<p>", "</p>", "<b>", "</b", ">", "<!--", "-->", "&amp;", "&",
    "&#x", "*", "**", "`", "```\n", "[a", "](b)", "# ", "- ", "> ", "| a | b |\n", "|-|-|\n", "<pre>", "</pre>",
    "<script>", "漢字。", "1\n00:00:01,000 --> 00:00:02,000\n", "alt='x", "<img alt='A dog'>", "---\n", "WEBVTT\n\n",
    "\ufeff", "\t", "\\", "  \n", "<code>", "</code>", "[a &lt; b] ", "`x`", "(", ")",
]
# fmt: on


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(sorted(set(FORMATS) - {".docx", ".po", ".pot", ".xlf", ".xliff", ".json"})),
    st.lists(
        st.sampled_from(PIECES),
        max_size=14,
    ).map("".join)
    | MARKED_UP,
)
def test_whatever_a_file_holds_it_comes_back(suffix, text):
    try:
        found = translated(f"a{suffix}", text, copied)
    except InputError:
        assume(suffix not in (".srt", ".vtt"))  # without a cue it is none
        raise
    assert found.decode() == text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b'{"a": ', "must be JSON, but is not: Expecting value"),
        ("a.html", b"<p>\xff</p>", "must be UTF-8, but has byte 0xff at place 3"),
        ("a.html", b'<meta charset="klingon">', "must be in an encoding that is known, but is in 'klingon'"),
        ("a.xliff", b"<xliff><a></xliff>", "must be well-formed XML, but is not: mismatched tag"),
        ("a.xliff", b'<!DOCTYPE x [<!ENTITY a "aaa">]><xliff>&a;</xliff>', "must have no document type"),
        ("a.xliff", b"<html/>", "must be XLIFF"),
        ("a.xliff", b'<xliff version="3.0"></xliff>', 'must be XLIFF 1 or 2, but has version="3.0"'),
        ("a.md", b"# The dog\0", "must be text, but has a NUL byte at place 9"),
        ("a.html", b"The\0 dog", "must be text, but has a NUL byte at place 3"),
        ("a.po", b"no catalogue", "must be a gettext catalogue"),
        ("a.po", b'msgid "Hello.\nmsgstr ""\n', "is damaged: line 1 must be a string in quotes"),
        ("a.po", b'msgid "A"\nmsgstr "B"\n\nmsgid "C"\n', "is damaged: no msgstr for the msgid of line 4"),
        ("a.srt", b"Hello.", "must have cues"),
        ("a.srt", b"1\n0:01,0 --> 0:02,0\nA.\n\n2\n0:03 -> 0:04\nB.\n", "but line 6 has '0:03 -> 0:04'"),
        ("a.vtt", b"WEBVTT\n\n00:01 --> \nHello.\n", "but line 3 has '00:01 -->'"),
        ("a.json", b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_damaged_file_is_refused(name, content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        translated(name, content)


@pytest.mark.parametrize("suffix", sorted(set(FORMATS) - {".json", ".xlf", ".xliff", ".docx"}))
def test_an_empty_file_stays_empty(suffix):
    assert translated(f"a{suffix}", b"") == b""


def test_tags_that_never_end_stay_as_they_are_where_there_are_too_many():
    assert translated("a.html", b"<p>one</p>two <a three") == b"<p>ONE</p>TWO &lt;A THREE"
    hostile = b"<a b " * 20_000
    assert translated("a.html", b"<p>one</p>" + hostile) == b"<p>ONE</p>" + hostile


def test_of_a_head_only_its_own_title_is_text():
    page = b"<head><meta>%b</head><body>one<svg><title>two</title></svg></body>"
    assert translated("a.html", page % b"") == page.replace(b"one", b"ONE").replace(b"two", b"TWO") % b""
    title = b"<title>three</title>"
    assert translated("a.html", page % title) == translated("a.html", page % b"").replace(
        b"<meta>", b"<meta>" + title.replace(b"three", b"THREE")
    )


def test_a_file_keeps_its_encoding():
    page = '<meta charset="iso-8859-1"><p>caf\xe9</p>'
    assert translated("a.html", page.encode("latin-1")) == '<meta charset="iso-8859-1"><p>CAF\xc9</p>'.encode("latin-1")
    assert translated("a.md", "\ufeffa café".encode("utf-16-le")) == "\ufeffA CAFÉ".encode("utf-16-le")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<p>Hello <span translate="no">', '<p>HELLO <span translate="no">'),
        ('<p>Hello <span class="notranslate">Max', '<p>HELLO <span class="notranslate">Max'),
        ("<code>", "<code>"),
    ],
)
def test_an_element_that_is_not_translated_may_be_open_where_the_page_ends(content, expected):
    assert translated("a.html", content).decode() == expected


def test_other_translations_in_xliff_get_none_and_what_comes_after_them_does():
    other = "<alt-trans><source>Old.</source><target>Viejo.</target></alt-trans>"
    unit = f'<trans-unit id="1">{other}<source>New.</source></trans-unit>'
    found = translated("a.xlf", f"<xliff><file><body>{unit}{other}</body></file></xliff>").decode()
    assert found.count(other) == 2
    assert found.count("<target>NEW.</target>") == found.count("<target>") - 2 == 1
