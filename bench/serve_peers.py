"""What else could serve one of our models: LibreTranslate, and a plain loop around CTranslate2.

    python -m venv FOLDER && FOLDER/bin/pip install libretranslate spacy      an environment of its own
    python -m bench.serve en-es test.en --libretranslate FOLDER/bin/libretranslate

A package of Argos Translate, which LibreTranslate (https://github.com/LibreTranslate/LibreTranslate) runs, is a folder
with a model of CTranslate2, a sentencepiece model and metadata: ours is written that way, in the same form (int8), and
searched with the same beam. LibreTranslate is run twice: as it comes, with the threads that it chooses itself; and
tuned by hand to what serves it best, a worker with one thread for each core, as ours has, and at least two requests for
each core at once.

Sentences are split by spaCy's rules (`ARGOS_CHUNK_TYPE=SPACY`, an option of Argos Translate), with an empty pipeline
made without a download. Its usual splitter is a neural network that must be downloaded; the rules are faster, so that
LibreTranslate is measured a little faster than it is.
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import ctranslate2

from bench.machine import cores
from saccade.interop.ctranslate2 import export
from saccade.serving.bundle import Bundle

SECONDS = 300
"""How long it may take to start."""


def write_package(bundle: Bundle, python: Path, folder: Path) -> None:
    """Our model as a package of Argos Translate; `python` has spaCy."""
    if bundle.source_tokenizer != bundle.target_tokenizer:
        raise ValueError("`model` must have one tokenizer for both sides, as packages of Argos Translate do.")
    folder.mkdir(parents=True)
    export(bundle, folder / "model", "int8")
    bundle.source_tokenizer.save(folder / "sentencepiece.model")
    source, target = bundle.source_language or "", bundle.target_language or ""
    described = {"package_version": "1.0", "argos_version": "1.9", "from_code": source, "from_name": source}
    described |= {"to_code": target, "to_name": target}
    (folder / "metadata.json").write_text(json.dumps(described), encoding="utf-8")
    blank = f"import spacy; spacy.blank({source!r}).to_disk({str(folder / 'spacy')!r})"
    subprocess.run([str(python), "-W", "ignore", "-c", blank], check=True)


def plain_loop(bundle: Bundle, package: Path, beam: int) -> Callable[[str], str]:
    """Translates one text with CTranslate2 and nothing around it, by the model in the package."""
    translator = ctranslate2.Translator(str(package / "model"), compute_type="int8", intra_threads=1)
    tokenizer = bundle.source_tokenizer
    known = {piece: token for token, piece in enumerate(tokenizer.pieces(range(tokenizer.size)))}

    def translate(text: str) -> str:
        pieces = tokenizer.pieces(tokenizer.encode([text])[0])
        (found,) = translator.translate_batch([pieces], beam_size=beam)
        return tokenizer.decode([known[piece] for piece in found.hypotheses[0]])

    return translate


def environment(home: Path, beam: int, tuned: bool) -> dict[str, str]:
    """The settings of Argos Translate, with all its folders inside `home`."""
    # Where there is this file, it does not download spaCy's model for all languages, which ours takes the place of.
    cached = home / "cache" / "argos-translate" / "spacy" / "senter" / "model"
    cached.parent.mkdir(parents=True, exist_ok=True)
    cached.touch()
    # With fewer than two packages it asks the network for more, and without one it asks for long.
    again = home / "packages" / "again"
    if not again.is_symlink():
        again.symlink_to("saccade")
    threads = {"ARGOS_INTER_THREADS": str(cores()), "ARGOS_INTRA_THREADS": "1"} if tuned else {}
    return (
        os.environ
        | threads
        | {
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "ARGOS_PACKAGES_DIR": str(home / "packages"),
            "ARGOS_CHUNK_TYPE": "SPACY",
            "ARGOS_COMPUTE_TYPE": "int8",
            "ARGOS_BEAM_SIZE": str(beam),
        }
    )


@contextmanager
def libretranslate(program: Path, beam: int, home: Path, tuned: bool) -> Iterator[str]:
    """The address of a LibreTranslate with the packages in `home`, as it comes or tuned."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(program), "--host", "127.0.0.1", "--port", str(port)]
    command += ["--threads", str(max(4, 2 * cores()))] if tuned else []
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment(home, beam, tuned), cwd=home, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(process, address, home / "log")
            yield address
        finally:
            process.terminate()
            process.wait()


def agreement(address: str, expected: dict[str, str], languages: dict[str, str], texts: Sequence[str]) -> float:
    """The share of these texts that it translates exactly as we do: whether it runs the same model."""
    same = [_translate(address, text, languages) == expected[text] for text in texts]
    return sum(same) / len(same)


def _translate(address: str, text: str, languages: dict[str, str]) -> str:
    with urlopen(f"{address}/translate", urlencode({"q": text, **languages}).encode(), timeout=60) as answer:
        return str(json.load(answer)["translatedText"])


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    ending = time.monotonic() + SECONDS
    while time.monotonic() < ending and process.poll() is None:
        try:
            urlopen(f"{address}/languages", timeout=60).close()
            return
        except (URLError, OSError):
            time.sleep(0.5)
    raise RuntimeError(f"LibreTranslate did not start: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
