"""Word documents: text is translated, formatting goes with its words, and what is not understood stays."""

import io
import re
import zipfile
from pathlib import Path

import pytest
from tests.unit.documents.test_formats import copied, in_capitals

from saccade.documents.formats import find_format
from saccade.errors import InputError, RunError

NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BODY = (
    '<w:p w:rsidR="1"><w:pPr><w:jc w:val="left"/></w:pPr><w:bookmarkStart w:id="0"/><w:r><w:t>I have a d</w:t></w:r>'
    '<w:proofErr w:type="x"/><w:r><w:t xml:space="preserve">og. His </w:t></w:r>'
    '<w:r><w:rPr><w:b/></w:rPr><w:t>name</w:t></w:r><w:r><w:t xml:space="preserve"> is </w:t></w:r>'
    '<w:hyperlink r:id="7"><w:r><w:t>Max &amp; co</w:t></w:r></w:hyperlink>'
    '<w:r><w:t>.</w:t><w:br/><w:t>Bye.</w:t></w:r><w:bookmarkEnd w:id="0"/></w:p>'
)
EXPECTED = (
    '<w:p w:rsidR="1"><w:pPr><w:jc w:val="left"/></w:pPr><w:bookmarkStart w:id="0"/>'
    '<w:r><w:t xml:space="preserve">I HAVE A DOG. HIS </w:t></w:r>'
    '<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">NAME</w:t></w:r>'
    '<w:r><w:t xml:space="preserve"> IS </w:t></w:r>'
    '<w:hyperlink r:id="7"><w:r><w:t xml:space="preserve">MAX &amp; CO</w:t></w:r></w:hyperlink>'
    '<w:r><w:t xml:space="preserve">.</w:t></w:r><w:r><w:br/></w:r><w:r><w:t xml:space="preserve">BYE.</w:t></w:r>'
    '<w:bookmarkEnd w:id="0"/></w:p>'
)
LEFT_ALONE = (
    "<w:p><w:ins><w:r><w:t>New text.</w:t></w:r></w:ins></w:p>"
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:t>Contents</w:t></w:r></w:p>'
    "<w:p><w:r><w:t>12</w:t></w:r></w:p><w:p/>"
)


def document(body, name="word/document.xml", compression=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, f"<w:document {NAMESPACE} xmlns:r='r'><w:body>{body}</w:body></w:document>")
        archive.writestr("word/media/a.png", b"\x89PNG")
    return file.getvalue()


def rewritten(content, translate=in_capitals):
    found = find_format(Path("a.docx")).rewritten(content, "en", translate)
    with zipfile.ZipFile(io.BytesIO(found)) as archive:
        assert archive.read("word/media/a.png") == b"\x89PNG"
        return re.search("<w:body>(.*)</w:body>", archive.read("word/document.xml").decode())[1]


def test_formatting_goes_with_its_words_and_the_rest_stays():
    assert rewritten(document(BODY + LEFT_ALONE)) == EXPECTED + LEFT_ALONE


def test_copying_changes_no_text():
    found = rewritten(document(BODY + LEFT_ALONE), copied)
    assert "".join(re.findall("<w:t[^>]*>([^<]*)", found)) == "".join(
        re.findall("<w:t[^>]*>([^<]*)", BODY + LEFT_ALONE)
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be a Word document (.docx), but is empty"),
        (b"PK no archive", "must be a Word document (.docx), but is damaged"),
        (document(BODY)[:-40], "must be a Word document (.docx), but is damaged"),
        (document(BODY, "other.xml"), "must be a Word document (.docx), but has no text in it"),
        (document("<w:p>"), "must be well-formed XML"),
    ],
)
def test_a_damaged_document_is_refused(content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        rewritten(content)


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_is_the_same_in_every_compression(compression):
    whole = document(BODY, compression=compression)
    assert rewritten(whole) == EXPECTED
    content = bytearray(whole)
    begin = content.index(b"word/document.xml") + len("word/document.xml")
    for place in range(begin + 12, begin + 60):
        content[place] ^= 0xFF
    with pytest.raises(InputError, match=r"must be a Word document \(.docx\), but is damaged"):
        rewritten(bytes(content))


def test_an_archive_that_says_it_begins_before_the_file_is_damaged():
    content = document(BODY)
    end = content.index(b"PK\x05\x06")
    with pytest.raises(InputError, match="but is damaged"):
        rewritten(content[: end + 16] + (end + 5).to_bytes(4, "little") + content[end + 20 :])


@pytest.mark.parametrize("problem", [RunError("no output is possible"), RuntimeError("CUDA out of memory"), OSError(5)])
def test_a_failure_of_translating_is_no_damage_of_the_document(problem):
    def fail(_):
        raise problem

    with pytest.raises(type(problem)) as caught:
        rewritten(document(BODY), fail)
    assert caught.value is problem


@pytest.mark.parametrize("prefix", ["xp:", "op:", ""])
def test_the_namespace_may_have_any_name(prefix):
    def renamed(text):
        return re.sub(r"(</?)w:", rf"\1{prefix}", text)

    assert (
        renamed(rewritten(document(BODY)))
        == re.search(f"<{prefix}body>(.*)</{prefix}body>", _part(renamed(_part(document(BODY)))))[1]
    )


def _part(content):
    """The text of a document; of a text, the same after its translation."""
    if isinstance(content, str):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("word/document.xml", content)
        content = find_format(Path("a.docx")).rewritten(file.getvalue(), "en", in_capitals)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("word/document.xml").decode()
