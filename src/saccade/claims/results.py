"""Runs the experiment of a claim; the result as a JSON file with the findings of every seed and the verdict."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

import torch

from saccade import __version__
from saccade.claims.claim import Claim, Judgement, Measured, Value, Verdict
from saccade.claims.measuring.toy_training import share
from saccade.claims.seeds import SeedResult, forget_seeds, measure_seed, save_seed
from saccade.errors import FormatError
from saccade.folders import atomic_write
from saccade.json_files import checked, read_json, read_sealed_json, sealed

FORMAT = 1
PAGE_TITLE = "Claims, measured"
RECORDED = Path(__file__).parent / "measured"
"""The results that docs/claims.md was written from; they travel with the package."""
_DELETE = "Delete it, and it is measured again."


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of an experiment, enough to draw its plot and to judge it again."""

    id: str
    claim: str
    rule: str
    expected: str
    verdict: str
    because: str
    seeds: list[int]
    findings: list[dict[str, Value]]
    seconds: float
    date: str
    saccade: str
    torch: str
    device: str = "cpu"
    machine: str = ""
    """Where its seeds were measured; empty in files from before it was kept."""

    @property
    def measured(self) -> Measured:
        """The findings, as the claim's judge and plot read them."""
        return Measured(self.seeds, self.findings)

    @property
    def judgement(self) -> Judgement:
        """The verdict, and why."""
        return Judgement(Verdict(self.verdict), self.because)


def measure(
    claim: Claim,
    now: datetime,
    progress: Callable[[float], None],
    seeds: int | None = None,
    device: str = "cpu",
    folder: Path | None = None,
) -> Result:
    """Runs the experiment once for each seed and judges the findings; with a folder, seeds are kept there meanwhile."""
    chosen = list(range(seeds or claim.seeds))
    found = [
        measure_seed(claim, seed, share(progress, done, len(chosen)), device, folder)
        for done, seed in enumerate(chosen)
    ]
    progress(1.0)
    findings = [one.findings for one in found]
    judgement = claim.judge(Measured(chosen, findings))
    return Result(
        id=claim.id,
        claim=claim.claim,
        rule=claim.rule,
        expected=claim.expected.value,
        verdict=judgement.verdict.value,
        because=judgement.because,
        seeds=chosen,
        findings=findings,
        seconds=sum(one.seconds for one in found),
        date=now.strftime("%Y-%m-%d"),
        saccade=__version__,
        torch=str(torch.__version__),
        device=device,
        machine="; ".join(dict.fromkeys(one.machine for one in found if one.machine)),
    )


def save(result: Result, folder: Path) -> None:
    """Writes the file of a result atomically; those of its seeds are no longer needed."""
    folder.mkdir(parents=True, exist_ok=True)
    content = sealed({"format": FORMAT, **asdict(result)})
    lines = (
        f"{json.dumps(key)}: {_findings(value) if key == 'findings' else _text(value)}"
        for key, value in content.items()
    )
    atomic_write(folder / f"{result.id}.json", "{\n" + ",\n".join(lines) + "\n}\n")
    forget_seeds(result.id, folder)


def take_apart(result: Result, folder: Path) -> None:
    """Writes what each seed found into a file of its own again: only the missing seeds are measured then."""
    for seed, findings in zip(result.seeds, result.findings, strict=True):
        each = SeedResult(
            id=result.id,
            claim=result.claim,
            rule=result.rule,
            seed=seed,
            findings=findings,
            seconds=result.seconds / len(result.seeds),
            saccade=result.saccade,
            torch=result.torch,
            device=result.device,
            machine=result.machine,
        )
        save_seed(each, folder)


def _findings(found: Sequence[Mapping[str, Value]]) -> str:
    """A line for each name of each seed: neither one endless line nor a line for every number."""
    seeds = (",\n".join(f"  {_text(name)}: {_text(value)}" for name, value in one.items()) for one in found)
    return "[\n " + ",\n ".join(f"{{\n{lines}\n }}" for lines in seeds) + "\n]"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def load(claim: Claim, folder: Path) -> Result | None:
    """The saved result of a claim; None if it was never measured, or measured under another rule.

    The verdict is computed again from the saved findings, so it always follows the current rule. If the rule needs a
    finding that was not saved, the result does not count.
    """
    path = folder / f"{claim.id}.json"
    if not path.exists():
        return None
    held = read_json(path, FORMAT, _DELETE)
    if "seal" in held:  # an earlier version wrote none
        held = read_sealed_json(path, FORMAT, advice=_DELETE)
    values = {key: value for key, value in held.items() if key not in ("format", "seal")}
    result = checked(Result, values, path, _DELETE)
    if (result.claim, result.rule) != (claim.claim, claim.rule):
        return None
    try:
        judgement = claim.judge(result.measured)
    except KeyError:
        return None
    return replace(result, verdict=judgement.verdict.value, because=judgement.because)


def written_files(folder: Path) -> Collection[str] | None:
    """The results of claims in a folder, and their page; None for a folder that holds something else."""
    names = {path.name for path in folder.glob("*.json") if _is_result(path)}
    names |= {path.name for path in folder.glob("*.html") if is_page(path)}
    return names or None


def is_page(path: Path) -> bool:
    """Whether a file is a page about claims."""
    return path.is_file() and f"<title>{PAGE_TITLE}</title>" in path.read_text("utf-8", "replace")[:500]


def _is_result(path: Path) -> bool:
    try:
        return {"id", "claim", "rule", "findings"} <= read_json(path, FORMAT).keys()
    except FormatError:
        return False
