"""The papers of the lineage as the page lists them: what each is, what implements it here, and how that is trained.

The page has the stories; titles, years and addresses have one home, `saccade.papers`, and come from there.
"""

from typing import Any

from saccade.models.catalogue import ARCHITECTURES
from saccade.papers import PAPERS
from saccade.recipes.recipe import list_recipes


def lineage() -> list[dict[str, Any]]:
    """Every paper, the oldest first, with the architectures that come from it and the recipe of its own experiment."""
    recipes = list_recipes()
    return [
        {
            "key": key,
            "names": paper.names,
            "year": paper.year,
            "title": paper.title,
            "venue": paper.venue,
            "url": paper.url,
            "architectures": [
                {"name": known.name, "summary": known.summary, "task": known.task}
                for known in ARCHITECTURES.values()
                if known.paper == key
            ],
            "recipe": next((name for name in recipes if name == key or name.startswith(f"{key}-")), None),
        }
        for key, paper in sorted(PAPERS.items(), key=lambda entry: entry[1].year)
    ]
