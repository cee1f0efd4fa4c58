"""Models by name: folders, the runs that trained them, and those that are shipped inside the package."""

from collections.abc import Iterable
from pathlib import Path

from saccade.errors import InputError, did_you_mean
from saccade.serving.config_file import CONFIG, read_config

SHIPPED = Path(__file__).parent / "shipped"


def shipped_models() -> dict[str, Path]:
    """The models inside the package (`serving/shipped/`), by name."""
    return {path.parent.name: path.parent for path in sorted(SHIPPED.glob("*/config.json"))}


def model_folder(model: str | Path) -> Path:
    """The folder of a model, given that folder, the run that trained it, or the name of a shipped model.

    A folder on disk is preferred to a shipped model of the same name.
    """
    if not str(model).strip():  # a variable of the shell that is not set, and not the folder one happens to be in
        raise InputError("`model` must name a model folder, a run or a shipped model, but is empty.")
    path = Path(model)
    shipped = shipped_models()
    try:
        found = next((one for one in (path, path / "model") if (one / CONFIG).is_file()), None)
    except OSError as problem:  # a name that is too long, a folder that nobody may look into
        raise InputError(
            f"`model` must be a folder of a model or of a run, or a shipped model, but is {str(model)[:80]!r}, which "
            f"cannot be opened: {problem.strerror}. Check the name."
        ) from None
    if found is not None:
        return found
    if str(model) in shipped:
        return shipped[str(model)]
    if (path / "recipe.toml").is_file():
        raise InputError(f"the run {path} has no finished model yet. Continue it: saccade train --out {path}")
    if path.is_dir():
        raise InputError(
            f"`model` must be a model folder, but {path} has no config.json. Name a run or a model folder."
        )
    names = ", ".join(shipped) or "none"
    raise InputError(
        f"`model` must be a folder of a model or of a run, or a shipped model ({names}), but is {str(model)!r}."
        + did_you_mean(str(model), shipped)
    )


def short_name(model: str | Path) -> str:
    """What a model is called among others: the name of its run, of its folder, or its shipped name."""
    path = Path(model)
    return path.resolve().parent.name if path.name == "model" else path.resolve().name


def numbered(names: Iterable[str]) -> list[str]:
    """Names, each once: a second of the same name gets a number."""
    found: list[str] = []
    for name in names:
        number = 1 + sum(known == name or known.startswith(f"{name}-") for known in found)
        found.append(name if number == 1 else f"{name}-{number}")
    return found


def summary(folder: Path) -> str:
    """A model folder in one line, read from its config alone."""
    config = read_config(Path(folder))
    languages = [language for language in (config.source_language, config.target_language) if language]
    megabytes = sum(file.size for file in config.files.values()) / 1e6
    direction = " ".join([" to ".join(languages), config.task]).strip()
    return f"{direction}, {config.architecture}, {megabytes:.1f} MB in {config.storage}"
