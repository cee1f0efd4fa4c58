"""A corpus of 49 sentences for tests, each of them twice with different translations."""

from pathlib import Path

from saccade.data.config import DataConfig

NAMES = ("Anna", "Bert", "Carla", "Dora", "Emil", "Fritz", "Greta")


def small_corpus(folder: Path) -> DataConfig:
    """Writes it there."""
    pairs = [(f"{a} sieht {b} .", f"{a} {verb} {b} .") for verb in ("sees", "saw") for a in NAMES for b in NAMES]
    (folder / "train.de").write_text("".join(f"{source}\n" for source, _ in pairs))
    (folder / "train.en").write_text("".join(f"{target}\n" for _, target in pairs))
    return DataConfig(source=str(folder / "train.de"), target=str(folder / "train.en"), vocabulary=320)
