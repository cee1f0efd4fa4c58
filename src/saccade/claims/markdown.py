"""What was measured as a table in Markdown, for documents."""

from saccade.claims.claim import CHAPTERS
from saccade.claims.page import Measurements


def markdown(measurements: Measurements) -> str:
    """A table for each chapter."""
    lines = [
        "# Claims, measured",
        "",
        "What is said about attention and its ancestors, and what came out when it was measured. This file is written "
        "by",
        "`saccade claims run --all --markdown docs/claims.md`; each row by `saccade claims run ID`, which also leaves "
        "the",
        "findings of every seed as JSON and a page with plots. Rules were written before their experiments were run; "
        "which",
        "of them, or of the experiments, were changed after a first look is in [the log](log.md), with what came out",
        "before. A claim that fails its rule is reported as failed.",
    ]
    for name in CHAPTERS.values():
        chapter = [one for one in measurements if one[0].chapter == name]
        if not chapter:
            continue
        lines += ["", f"## {name}", "", "| id | claim | verdict | measured | rule | run |", "|---|---|---|---|---|---|"]
        for claim, result in chapter:
            expected = "" if result.verdict == result.expected else f" (expected: {result.expected})"
            seeds = f"{len(result.seeds)} seed{'s' if len(result.seeds) != 1 else ''}"
            run = f"`saccade claims run {claim.id}`, {seeds}, {result.date}"
            cells = (claim.id, claim.claim, f"**{result.verdict}**{expected}", result.because, claim.rule, run)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
