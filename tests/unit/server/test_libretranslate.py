"""LibreTranslate's API: what its own tests ask for, and answers that are those of `saccade translate`."""

import re
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

LINES = ["Two men are talking.", "A dog runs behind the old school.", "She reads a long book about the sea."]
TEXT = "A dog. Two men."
ASKED = {"q": "A dog.", "source": "en", "target": "es"}


def error(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def test_a_text_is_translated_as_without_a_server(client, alone):
    answer = client.post("/translate", json=ASKED | {"q": TEXT})
    assert answer.status_code == 200
    assert answer.json() == {"translatedText": alone(TEXT)}


def test_a_list_is_answered_with_a_list_in_its_order(client, alone):
    texts = [TEXT, "", "She reads\na book.", "12 345"]
    answer = client.post("/translate", json=ASKED | {"q": texts}).json()
    assert answer == {"translatedText": alone(texts)}


@pytest.mark.parametrize("way", [{"data": ASKED}, {"params": ASKED}, {"json": ASKED}], ids=["form", "query", "json"])
def test_json_forms_and_queries_are_the_same(client, alone, way):
    assert client.post("/translate", **way).json()["translatedText"] == alone(ASKED["q"])


def test_markup_comes_back_with_the_same_tags(client):
    page = '<p class="green">Two <b>men</b> are talking.<br>A dog &amp; a man run.</p><script>x < 1</script>'
    answer = client.post("/translate", json=ASKED | {"q": page, "format": "html"}).json()["translatedText"]
    assert answer.startswith('<p class="green">')
    assert answer.endswith("</p><script>x < 1</script>")
    assert answer.count("<b>") == answer.count("</b>") == 1


def test_whatever_the_traffic_every_answer_is_the_same(client, alone):
    random = Random(7)
    words = [word for line in LINES for word in line.split()]
    texts = [" ".join(random.choices(words, k=random.randint(1, 6))) for _ in range(8)]
    expected = [alone(text) for text in texts]

    def ask(order: int) -> list[tuple[int, str]]:
        own = Random(order)
        some = own.sample(range(len(texts)), own.randint(1, 3))
        answer = client.post("/translate", json=ASKED | {"q": [texts[place] for place in some]}).json()
        return list(zip(some, answer["translatedText"], strict=True))

    with ThreadPoolExecutor(4) as clients:
        for found in clients.map(ask, range(5)):
            assert found == [(place, expected[place]) for place, _ in found]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"q": None}, "Invalid request: missing q parameter"),
        ({"q": []}, "Invalid request: missing q parameter"),
        ({"source": ""}, "Invalid request: missing source parameter"),
        ({"target": None}, "Invalid request: missing target parameter"),
        ({"source": "zz"}, "zz is not supported"),
        ({"target": "zz"}, "zz is not supported"),
        ({"target": "en"}, "English (en) is not available as a target language from English (en)"),
        ({"format": "xml"}, "xml format is not supported"),
        ({"q": "a" * 2001}, "Invalid request: request (2001) exceeds text limit (2000)"),
        ({"q": ["a"] * 31}, "Invalid request: request (31) exceeds text limit (30)"),
        ({"q": 7}, "Invalid request: q parameter must be a text or a list of texts"),
        ({"q": ["a", None]}, "Invalid request: q parameter must be a text or a list of texts"),
        ({"source": ["en"]}, "Invalid request: source parameter must be a text"),
    ],
    ids=str,
)
def test_mistakes_are_told_in_its_words(client, change, said):
    assert error(client.post("/translate", json=ASKED | change)) == (400, said)


def test_a_word_that_is_longer_than_the_model_reads_is_copied_or_refused(client, alone):
    word = "abc" * 400
    found = client.post("/translate", json=ASKED | {"q": f"A dog. {word} and."}).json()["translatedText"]
    assert word in found
    status, said = error(client.post("/translate", json=ASKED | {"q": word}))
    assert (status, "must have a source of at most 63 tokens" in said) == (400, True)


def test_json_that_is_no_object_is_refused(client):
    for raw in (b"[1]", b"{", b"", b"\xff", b'{"q": "\\ud800"}', b"[" * 100_000, b"NaN"):
        answer = client.post("/translate", content=raw, headers={"content-type": "application/json"})
        assert error(answer) == (400, "Invalid JSON format")


def test_the_languages_are_those_of_the_models(client):
    assert client.get("/languages").json() == [
        {"code": "en", "name": "English", "targets": ["es"]},
        {"code": "es", "name": "Spanish", "targets": []},
    ]


def test_the_language_of_a_text_is_told_with_a_confidence(client):
    first, *_ = client.post("/detect", json={"q": "This is a sentence written in English for testing."}).json()
    assert first["language"] == "en"
    assert 50 < first["confidence"] <= 100
    assert client.post("/detect").status_code == 400
    assert client.get("/detect").status_code == 405


def test_the_source_is_found_where_it_is_not_named(client, alone):
    text = "This is a sentence written in English for you"
    answer = client.post("/translate", json=ASKED | {"q": text, "source": "auto"}).json()
    assert answer["translatedText"] == alone(text)
    assert answer["detectedLanguage"]["language"] == "en"
    several = client.post("/translate", json=ASKED | {"q": ["Hello there", "Good morning"], "source": "auto"}).json()
    assert [one["language"] for one in several["detectedLanguage"]] == ["en", "en"]


def test_a_page_may_ask_for_what_it_needs_to_know(client):
    settings = client.get("/frontend/settings").json()
    assert settings["charLimit"] == 2000
    assert settings["language"]["source"]["code"] == "auto"
    assert settings["language"]["target"] == {"code": "es", "name": "Spanish"}
    assert ".txt" in settings["supportedFilesFormat"]


def test_the_page_may_do_nothing_but_ask_its_server(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert policy.endswith("frame-ancestors 'none'")
    assert "unsafe" not in policy
    assert "http" not in page.text.replace("<!doctype html>", "")
    for address in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert client.get(f"/{address}").status_code == 200
    assert client.get("/static/../application.py").status_code == 404


def test_it_is_well(client):
    assert client.get("/health").json() == {"status": "ok"}


def test_another_site_and_another_host_are_refused(client):
    assert client.post("/translate", json=ASKED, headers={"origin": "http://attacker.example"}).status_code == 403
    assert client.get("/languages", headers={"host": "attacker.example"}).status_code == 400
    assert "access-control-allow-origin" not in client.get("/languages", headers={"origin": "http://a.example"}).headers


def test_of_the_line_ends_only_those_of_a_browser_change(client):
    text = "A dog.\u2028She reads.\x0cTwo men.\x85A dog.\n"
    expected = client.post("/translate", json={**ASKED, "q": f"{text}{text}"}).json()
    for end in ("\r\n", "\r", "\n"):
        form = {**ASKED, "q": f"{text[:-1]}{end}{text[:-1]}{end}"}
        assert client.post("/translate", data=form).json() == expected
