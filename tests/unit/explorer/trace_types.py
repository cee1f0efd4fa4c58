"""schema.json, and the types of a trace for the page's type checker: python -m tests.unit.explorer.trace_types."""

import json
from typing import Any

from saccade.explorer import page
from saccade.tracing import schema as trace_schema

TYPES = page.FOLDER / "trace" / "schema.d.ts"
HEAD = "// Made from tracing/schema.json by tests/unit/explorer/trace_types.py; what each part means stands there.\n"
NAMES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declarations(schema: dict[str, Any]) -> str:
    """One interface for each definition, in the order of their names, then the trace itself."""
    parts = {**dict(sorted(schema["$defs"].items())), "Trace": schema}
    return HEAD + "".join(f"\n{_interface(name, part)}" for name, part in parts.items())


def _interface(name: str, part: dict[str, Any]) -> str:
    required = part.get("required", [])
    lines = [f"  {key}{'' if key in required else '?'}: {_type(value)};" for key, value in part["properties"].items()]
    return "\n".join([f"export interface {name} {{", *lines, "}", ""])


def _type(part: dict[str, Any]) -> str:
    if "$ref" in part:
        return str(part["$ref"].rsplit("/", 1)[-1])
    if "anyOf" in part:
        return " | ".join(_type(one) for one in part["anyOf"])
    if "const" in part:
        return json.dumps(part["const"])
    if "enum" in part:
        return " | ".join(json.dumps(one) for one in part["enum"])
    if part.get("type") == "array":
        of = _type(part["items"])
        return f"({of})[]" if " | " in of else f"{of}[]"
    if part.get("type") == "object":
        of = part.get("additionalProperties")
        return f"Record<string, {_type(of) if isinstance(of, dict) else 'any'}>"
    return NAMES[part["type"]]


if __name__ == "__main__":
    schema = trace_schema.schema()
    trace_schema.PATH.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    TYPES.write_text(declarations(schema), encoding="utf-8")
