"""The experiment of a claim for one seed, kept in a file as soon as it is done.

So several can run side by side, and an interruption costs no more than the seeds that were under way. Once a claim has
a result, which holds what all its seeds found, their files go; they come back where more seeds are wanted later.
"""

import json
import signal
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import torch

from saccade import __version__
from saccade.claims.catalogue import CLAIMS
from saccade.claims.claim import Claim, Progress, Value
from saccade.errors import SourceError
from saccade.folders import atomic_write
from saccade.hardware import machine
from saccade.json_files import checked, read_sealed_json, sealed

FORMAT = 1
_DELETE = "Delete it, and this seed is measured again."


@dataclass(frozen=True, kw_only=True)
class SeedResult:
    """What one seed found, under which rule, and with what it was measured."""

    id: str
    claim: str
    rule: str
    seed: int
    findings: dict[str, Value]
    seconds: float
    saccade: str
    torch: str
    device: str
    machine: str = ""
    """Empty in files from before it was kept."""


def measure_seed(claim: Claim, seed: int, progress: Progress, device: str, folder: Path | None) -> SeedResult:
    """Runs the experiment once, unless the folder has what came of it.

    Models draw their weights from torch's global generator, so it is seeded too, and restored afterwards. What an
    experiment draws and builds is on `device` without its asking, since that is torch's default meanwhile.
    """
    kept = None if folder is None else load_seed(claim, seed, device, folder)
    if kept is not None:
        return kept
    began = perf_counter()
    with torch.random.fork_rng(devices=[device] if device != "cpu" else []), torch.device(device):
        torch.manual_seed(seed)
        found = claim.measure(torch.Generator(device).manual_seed(seed), progress)
    result = SeedResult(
        id=claim.id,
        claim=claim.claim,
        rule=claim.rule,
        seed=seed,
        findings={name: _rounded(value) for name, value in found.items()},
        seconds=perf_counter() - began,
        saccade=__version__,
        torch=str(torch.__version__),
        device=device,
        machine=machine(device),
    )
    if folder is not None:
        save_seed(result, folder)
    return result


def save_seed(result: SeedResult, folder: Path) -> None:
    """Writes the file of a seed atomically."""
    content = sealed({"format": FORMAT, **asdict(result)})
    atomic_write(_path(result.id, result.seed, folder), json.dumps(content, ensure_ascii=False, allow_nan=False))


def load_seed(claim: Claim, seed: int, device: str, folder: Path) -> SeedResult | None:
    """What was found for a seed; None where it was not measured, or under another rule, or with something else."""
    path = _path(claim.id, seed, folder)
    if not path.exists():
        return None
    held = read_sealed_json(path, FORMAT, advice=_DELETE)
    result = checked(SeedResult, {key: held[key] for key in held if key not in ("format", "seal")}, path, _DELETE)
    asked = (claim.claim, claim.rule, __version__, str(torch.__version__), device)
    same = (result.claim, result.rule, result.saccade, result.torch, result.device) == asked
    return result if same else None


def forget_seeds(id_: str, folder: Path) -> None:
    """Removes the files of all seeds of a claim."""
    for path in folder.glob(f"{id_}-*.json"):
        if path.stem.removeprefix(f"{id_}-").isdigit():
            path.unlink()


def measure_side_by_side(
    claims: Sequence[Claim], folder: Path, device: str, processes: int
) -> Iterator[tuple[Claim, int, float]]:
    """Measures all seeds that the folder lacks of claims of the catalogue, each in a process, and tells their seconds.

    A claim whose corpus is missing is passed over: whoever wants its result is told then.
    """
    missing = [
        (claim.id, seed)
        for claim in claims
        for seed in range(claim.seeds)
        if load_seed(claim, seed, device, folder) is None
    ]
    # A fork would inherit torch's threads in whatever state they are.
    with get_context("spawn").Pool(processes, initializer=_begin) as pool:
        work = partial(_one, folder=folder, device=device)
        for id_, seed, seconds in pool.imap_unordered(work, missing):
            if seconds is not None:
                yield CLAIMS[id_], seed, seconds


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that was asked ends the others
    torch.set_num_threads(1)


def _one(wanted: tuple[str, int], folder: Path, device: str) -> tuple[str, int, float | None]:
    id_, seed = wanted
    try:
        return id_, seed, measure_seed(CLAIMS[id_], seed, lambda _: None, device, folder).seconds
    except SourceError:
        return id_, seed, None


def _path(id_: str, seed: int, folder: Path) -> Path:
    return folder / f"{id_}-{seed}.json"


def _rounded(value: Value) -> Value:
    """To six significant digits: what follows them is noise, and would be most of the file. Counts stay exact."""
    if isinstance(value, list):
        return [_rounded(item) for item in value]  # type: ignore[return-value]
    return value if float(value).is_integer() else float(f"{value:.6g}")
