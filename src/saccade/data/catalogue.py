"""Corpora by name: where one is, how to get it, which files are its splits in the direction asked for.

The look-up order is: the folder SACCADE_DATA, then the cache (SACCADE_CACHE, or ~/.cache/saccade). What needs no
network (a generated corpus, raw files that only want cutting) is made on the spot; everything else by `fetch`.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from saccade.data.corpora import CORPORA
from saccade.data.corpus_sources import Corpus, Generated, LocalFiles, LocalFolder, PackageIndex, Url
from saccade.data.fetch import LINKS, existing, finished, obtain
from saccade.data.parallel_text import PairFiles
from saccade.data.progress import Progress, silent
from saccade.errors import ConfigError, SourceError, did_you_mean
from saccade.folders import cache_folder

__all__ = [
    "CORPORA",
    "CorpusFiles",
    "CorpusStatus",
    "describe",
    "direction",
    "fetch",
    "find",
    "known",
    "text_language",
]


@dataclass(frozen=True)
class CorpusFiles:
    """A corpus in hand, in one direction. `notices` are the files its licence asks to keep with it.

    `links` are the files, by split, that say which words belong together, as source place and target place in the
    corpus's own direction.
    """

    corpus: Corpus
    source_language: str
    target_language: str
    splits: dict[str, PairFiles]
    notices: tuple[Path, ...] = ()
    links: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class CorpusStatus:
    """One line of `saccade data list`: "made" is made on the spot when first used, "missing" must be put by hand."""

    corpus: Corpus
    where: Literal["local", "cached", "made", "fetchable", "missing"]


def known(name: str) -> Corpus:
    """The corpus of that name, or an error with the nearest one."""
    if name not in CORPORA:
        raise ConfigError(
            f"`corpus` must be one of {', '.join(CORPORA)}, but is {name!r}.{did_you_mean(name, CORPORA)}"
        )
    return CORPORA[name]


def direction(corpus: Corpus, source_language: str | None, target_language: str | None) -> tuple[str, str]:
    """Source and target language; what is not said is the first language of the corpus that is still free."""
    for option, language in (("source_language", source_language), ("target_language", target_language)):
        if language is not None and language not in corpus.languages:
            raise ConfigError(
                f"`{option}` must be one of {', '.join(corpus.languages)} for {corpus.name}, but is {language!r}."
                + did_you_mean(language, corpus.languages)
            )
    source = source_language or next(language for language in corpus.languages if language != target_language)
    target = target_language or next(language for language in corpus.languages if language != source)
    if source == target:
        raise ConfigError(f"`target_language` must differ from `source_language`, but both are {source!r}. Change one.")
    return source, target


def text_language(corpus: Corpus) -> str:
    """The side taken where text alone is wanted and nobody says which: English if there is some, else the first."""
    return "en" if "en" in corpus.languages else corpus.languages[0]


def find(name: str, source_language: str | None = None, target_language: str | None = None) -> CorpusFiles:
    """The files of a corpus that is already here; `fetch` gets one that is not."""
    corpus = known(name)
    source, target = direction(corpus, source_language, target_language)
    here = _here(corpus, source, target)
    if here is None and _can_be_made(corpus):
        obtain(corpus, _cache(), _local())
        here = _here(corpus, source, target)
    if here is None:
        raise SourceError(
            f"`{name}` must be in SACCADE_DATA ({_local() or 'which is not set'}) or in the cache ({_cache()}), "
            f"but is in neither. " + (f"Run `saccade data fetch {name}`." if _can_be_fetched(corpus) else corpus.advice)
        )
    return here


def fetch(name: str, progress: Progress = silent) -> CorpusFiles:
    """The files of a corpus, downloaded if they are not here yet."""
    corpus = known(name)
    source, target = direction(corpus, None, None)
    here = _in_local_folder(corpus, source, target)
    if here is not None:
        progress(f"{name}: already there, in SACCADE_DATA", 1, 1)
        return here
    obtain(corpus, _cache(), _local(), progress)
    return find(name)


def describe() -> list[CorpusStatus]:
    """Every corpus of the catalogue and where it is now."""
    return [CorpusStatus(corpus, _where(corpus)) for corpus in CORPORA.values()]


def _where(corpus: Corpus) -> Literal["local", "cached", "made", "fetchable", "missing"]:
    if _in_local_folder(corpus, *direction(corpus, None, None)) is not None:
        return "local"
    if finished(corpus, _cache()):
        return "cached"
    if _can_be_made(corpus):
        return "made"
    return "fetchable" if _can_be_fetched(corpus) else "missing"


def _here(corpus: Corpus, source: str, target: str) -> CorpusFiles | None:
    return _in_local_folder(corpus, source, target) or _in_cache(corpus, source, target)


def _in_local_folder(corpus: Corpus, source: str, target: str) -> CorpusFiles | None:
    local = _local()
    for folder in corpus.sources:
        if isinstance(folder, LocalFolder) and local is not None:
            files = {split: str(local / pattern) for split, pattern in folder.files.items()}
            if (splits := _splits(files, source, target)) is not None:
                return CorpusFiles(corpus, source, target, splits)
    return None


def _in_cache(corpus: Corpus, source: str, target: str) -> CorpusFiles | None:
    if not finished(corpus, _cache()):
        return None
    folder = _cache() / corpus.name
    splits = _splits({split: str(folder / split) + ".{language}" for split in corpus.splits}, source, target)
    names = {f"{split}.{language}" for split in corpus.splits for language in (*corpus.languages, LINKS)}
    notices = sorted(
        path
        for path in folder.iterdir()
        if path.name.removesuffix(".gz").removesuffix(".xz") not in names | {"corpus.json"}
    )
    aligned = {split: existing(folder / f"{split}.{LINKS}") for split in corpus.splits}
    links = {split: path for split, path in aligned.items() if path is not None and source == corpus.languages[0]}
    return None if splits is None else CorpusFiles(corpus, source, target, splits, tuple(notices), links)


def _splits(files: dict[str, str], source: str, target: str) -> dict[str, PairFiles] | None:
    """The pair of files of each split; None if train, valid or test is absent (a further one may be)."""
    splits = {}
    for split, pattern in files.items():
        source_path = existing(Path(pattern.replace("{language}", source)))
        target_path = existing(Path(pattern.replace("{language}", target)))
        if source_path is not None and target_path is not None:
            splits[split] = PairFiles(source_path, target_path)
        elif split in ("train", "valid", "test"):
            return None
    return splits or None


def _can_be_made(corpus: Corpus) -> bool:
    local = _local()
    return any(
        isinstance(source, Generated)
        or (
            isinstance(source, LocalFiles)
            and local is not None
            and all(existing(local / name) is not None for name in source.files)
        )
        for source in corpus.sources
    )


def _can_be_fetched(corpus: Corpus) -> bool:
    return any(isinstance(source, PackageIndex | Url) for source in corpus.sources)


def _local() -> Path | None:
    folder = os.environ.get("SACCADE_DATA")
    return Path(folder).expanduser() if folder else None


def _cache() -> Path:
    return cache_folder("corpora")
