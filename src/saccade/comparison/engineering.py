"""How much of a result is the program's and not the system's: engineering that differs, and what it is worth.

Three measures, from report.json:

    kind     how batches are laid out, whether steps are captured into CUDA graphs, and the precision of products
    share    tokens a second while learning, as a share of what its matrix products alone would allow on this machine
    equal    the score on validation when it had read as many tokens as the system that read fewest in its time
"""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

Data = Mapping[str, Any]


def kind(system: Data) -> str:
    """The engineering of a system in a few words."""
    run = system["runs"][0]
    steps = "captured steps" if run.get("captured") else "eager steps"
    return f"{run['layout']} batches, {steps}, {'bfloat16' if run['bfloat16'] else 'float32'}"


def share(system: Data) -> float | None:
    """Tokens a second as a share of the products' own; None where that was not measured."""
    floors = [run.get("floor_tokens_per_second") for run in system["runs"]]
    if not all(floors):
        return None
    return fmean(run["tokens_per_second"] / floor for run, floor in zip(system["runs"], floors, strict=True))


def fewest_tokens(data: Data) -> int:
    """How many target tokens the system read that read fewest."""
    return int(min(fmean(run["tokens"] for run in system["runs"]) for system in data["systems"]))


def score_after(system: Data, tokens: int) -> float | None:
    """The score on validation after at most so many tokens, as a mean over the seeds; None before the first."""
    found = []
    for run in system["runs"]:
        reached = [point for point in run["curve"] if point["tokens"] <= tokens and point["score"] is not None]
        if not reached:
            return None
        found.append(reached[-1]["score"])
    return fmean(found)


def last_score(system: Data) -> float | None:
    """The score of the last validation, as a mean over the seeds."""
    return score_after(system, max((run["curve"][-1]["tokens"] for run in system["runs"] if run["curve"]), default=0))
