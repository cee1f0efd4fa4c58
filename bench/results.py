"""What was measured, by machine and day; written after every piece, so that a run that stops loses one at most."""

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

from bench.machine import description, short_name
from bench.table import table

FOLDER = Path(__file__).with_name("results")


class Results:
    """One JSON file, and the same as Markdown beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content: dict[str, Any] = {"machine": description(), "date": date.today().isoformat(), "pieces": {}}
        if path.exists():
            self.content = json.loads(path.read_text(encoding="utf-8"))

    @classmethod
    def today(cls) -> "Results":
        """Those of this machine and day."""
        return cls(FOLDER / f"{date.today().isoformat()}-{short_name()}.json")

    def has(self, name: str, settings: dict[str, Any], implementations: list[str]) -> bool:
        """Whether this piece was measured already, the same way and with all these implementations."""
        piece = self.content["pieces"].get(name)
        return (
            piece is not None
            and piece["settings"] == settings
            and set(implementations) <= {row["implementation"] for row in piece["rows"]}
        )

    def keep(self, name: str, piece: dict[str, Any]) -> None:
        """Adds a piece, or replaces it, and writes everything."""
        self.content["pieces"][name] = piece
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for path, text in (
            (self.path, json.dumps(self.content, indent=1) + "\n"),
            (self.path.with_suffix(".md"), self.markdown()),
        ):
            aside = path.with_suffix(path.suffix + ".part")
            aside.write_text(text, encoding="utf-8")
            os.replace(aside, path)

    def markdown(self) -> str:
        """Every piece as a table."""
        head = f"{self.content['date']}, {self.content['machine']}\n\n"
        return head + "\n".join(self.shown(name) for name in self.content["pieces"])

    def shown(self, name: str) -> str:
        """One piece as a table: the usual one, or its own where it brought one."""
        piece = self.content["pieces"][name]
        return piece["markdown"] if "markdown" in piece else table(piece)
