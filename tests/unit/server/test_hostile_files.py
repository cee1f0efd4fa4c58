"""Whatever is uploaded, the answer is a file or a mistake of the client: no 500, no traceback."""

import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.server.uploads import ENDINGS

PIECES = [
    *(
        "<",
        ">",
        "</",
        "<p>",
        "<b",
        "&",
        "&#0;",
        "&#xD800;",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        '"',
        "\\",
        "{",
        "}",
        "[",
        "]",
    ),
    *(
        "msgid ",
        'msgstr "',
        "#, fuzzy",
        "1\n00:00:01,000 --> 00:00:02,000\n",
        "WEBVTT",
        "<source>",
        "<xliff",
        "```",
        "[a](",
        "\t",
    ),
    *(
        "\n",
        "\r\n",
        "\x00",
        "\ufeff",
        "\u202e",
        "A dog.",
        "e\u0301",
        ":",
        ",",
        "1",
        "|",
        "<script>",
        "<head>",
        "<title>",
        "<w:t>",
        "<w:p>",
    ),
]
TEXT = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join)
CONTENT = st.binary(max_size=40) | TEXT.map(lambda text: text.encode("utf-8", "surrogatepass"))


def packed(text: str) -> bytes:
    """A Word document with this in it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", text.encode("utf-8", "surrogatepass"))
    return file.getvalue()


def upload(client, ending: str, content: bytes, source: str) -> None:
    answer = client.post(
        "/translate_file", data={"source": source, "target": "es"}, files={"file": (f"x{ending}", content)}
    )
    assert answer.status_code in (200, 400), (ending, content, answer.text)
    assert "Traceback" not in answer.text
    assert set(answer.json()) == ({"translatedFileUrl"} if answer.status_code == 200 else {"error"})


FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=4)
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=500)
ANY = given(
    ending=st.sampled_from(ENDINGS), content=CONTENT | TEXT.map(packed), source=st.sampled_from(["en", "auto", "\x00"])
)


@FEW
@ANY
def test_a_hostile_file_is_no_mistake_of_the_server(client, ending, content, source):
    upload(client, ending, content, source)


@pytest.mark.slow
@MANY
@ANY
def test_many_hostile_files_are_no_mistake_of_the_server(client, ending, content, source):
    upload(client, ending, content, source)


@pytest.mark.slow
@MANY
@given(
    raw=st.lists(
        st.sampled_from(
            [b"--x", b"--x--", b"\r\n", b"\n", b"Content-Disposition: form-data", b'; name="file"', b"; filename=a.txt"]
            + [b"; name=source", b"Content-Type: a/b; charset=no-such", b"en", b": ", b"=?utf-8?q?", b"\x00", b"\xff"]
        ),
        max_size=14,
    ).map(b"".join),
    boundary=st.sampled_from(["x", "", "\x7f", "x" * 300]),
)
@pytest.mark.parametrize("path", ["/translate_file", "/translate", "/detect"])
def test_no_form_is_a_mistake_of_the_server(client, path, raw, boundary):
    kind = f"multipart/form-data; boundary={boundary}; charset=utf-9"
    answer = client.post(path, content=raw, headers={"content-type": kind.encode()})
    assert answer.status_code == 400, (raw, answer.text)
