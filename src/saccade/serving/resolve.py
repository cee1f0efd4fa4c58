"""From what a person calls a model to the folder that holds it.

A model is named by its folder, by the folder of the run that trained it, or, for those that ship inside the package
(`serving/shipped/`), by a short name such as `en-es`.
"""

from pathlib import Path

from saccade.errors import InputError, did_you_mean

SHIPPED = Path(__file__).parent / "shipped"


def shipped_models() -> dict[str, Path]:
    """The models inside the package, by name."""
    return {path.parent.name: path.parent for path in sorted(SHIPPED.glob("*/config.json"))}


def resolve(model: str | Path) -> Path:
    """The folder of a model; a folder on disk goes before a shipped model of the same name."""
    path = Path(model)
    for candidate in (path, path / "model"):
        if (candidate / "config.json").is_file():
            return candidate
    shipped = shipped_models()
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
