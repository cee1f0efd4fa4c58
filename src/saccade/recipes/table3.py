"""One recipe for every row of Table 3 of "Attention Is All You Need", generated from the paper's own numbers.

A row states only what it changes with respect to the base model, so each recipe is `based_on` vaswani2017-base and
takes its changes from `saccade.papers`; writing twenty files would state every number twice.
"""

from typing import Any

from saccade.papers import VASWANI2017


def table3_family() -> dict[str, dict[str, Any]]:
    """The recipes by name, in the order of the table, as documents in the form a TOML file parses to."""
    return {
        row.slug: {
            "name": row.slug,
            "summary": f"Table 3, {'row' if len(row.letter) > 1 else row.letter} {row.name}; "
            f"the paper: perplexity {row.perplexity:.2f}, BLEU {row.bleu:.1f}.",
            "based_on": "vaswani2017-base",
            "model": dict(row.model),
            "training": dict(row.training),
        }
        for row in VASWANI2017.table3
    }
