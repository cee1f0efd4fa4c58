"""The JSON files of an export, as Hugging Face's own are written."""

import json
from pathlib import Path
from typing import Any


def write_json(path: Path, content: Any) -> None:
    """Writes one."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
