"""The engine of a live page as one script: a worker has no import map, so its modules are put into one text.

Each module becomes a function that is called once and returns its exports; an import takes names out of what an
earlier one returned. Modules stay as they are otherwise, so that what runs is what is read.
"""

import re
from functools import cache
from graphlib import TopologicalSorter

from saccade.explorer.page import FOLDER

ENTRY = "page/engine/worker"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(page/[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+|\[[^\]]*\]))", re.MULTILINE)


@cache
def worker_script(entry: str = ENTRY) -> str:
    """The module and all that it imports, as a script without imports; `modules` holds what each exports."""
    sources: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in sources:
            sources[name] = (FOLDER.parent / f"{name}.js").read_text(encoding="utf-8")
            waiting += [imported for _, imported in _IMPORT.findall(sources[name])]
    order = TopologicalSorter({name: _imports(source) for name, source in sources.items()}).static_order()
    return "\n".join(["const modules = {};", *(_function(name, sources[name]) for name in order)])


def _imports(source: str) -> list[str]:
    return [imported for _, imported in _IMPORT.findall(source)]


def _function(name: str, source: str) -> str:
    exported = [one.strip() for _, names in _EXPORT.findall(source) for one in names.strip("[]").split(",")]
    body = _IMPORT.sub(lambda found: f'const {{{found[1]}}} = modules["{found[2]}"];\n', source)
    body = _EXPORT.sub(lambda found: found[1], body)
    return f'modules["{name}"] = (() => {{\n"use strict";\n{body}return {{ {", ".join(exported)} }};\n}})();'
