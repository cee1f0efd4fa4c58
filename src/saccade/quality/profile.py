"""What has been learned about the outputs of a model, as one file of its folder: quality.json.

lengths       how long translations are, as a share of their sources
names         which names are translated, or null: then names are not compared
calibration   from the model's probabilities to confidences
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from saccade.json_files import checked, read_json
from saccade.quality.calibration import Calibration
from saccade.quality.lengths import LengthBounds
from saccade.quality.names import TranslatedNames

FORMAT = 1


@dataclass(frozen=True)
class QualityProfile:
    """All of it."""

    lengths: LengthBounds
    names: TranslatedNames | None
    calibration: Calibration

    def save(self, path: Path) -> None:
        """Writes the file."""
        names = None if self.names is None else {side: sorted(own) for side, own in asdict(self.names).items()}
        content: dict[str, Any] = {**asdict(self), "names": names, "format": FORMAT}
        path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "QualityProfile":
        """Reads and checks it."""
        content = read_json(path, FORMAT)
        del content["format"]
        return checked(cls, content, path, "Copy the folder again.")
