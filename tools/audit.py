"""Asks for known vulnerabilities of what is locked. Without an answer it says so in one line, and fails nothing."""

import json
import subprocess
import sys
from pathlib import Path

SECONDS = 60


def main() -> int:
    """The exit code: 1 if something that is locked has a known vulnerability."""
    try:
        answered = subprocess.run(
            _command(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=SECONDS
        )
        found = json.loads(answered.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError):
        found = []
    audited = [one for one in found if "vulns" in one]
    if not audited:
        print("audit: the vulnerability service does not answer, so nothing was audited")
        return 0
    findings = [(one, vulnerability) for one in audited for vulnerability in one["vulns"]]
    for one, vulnerability in findings:
        mended = ", ".join(vulnerability["fix_versions"]) or "no version yet"
        print(f"error: {one['name']} {one['version']} has {vulnerability['id']}, mended by {mended}. Run: make upgrade")
    print(f"audit: {len(audited)} of {len(found)} packages, {len(findings)} known vulnerabilities")
    return int(bool(findings))


def _command() -> list[str]:
    options = ["--disable-pip", "--no-deps", "--format", "json", "--progress-spinner", "off", "--timeout", "5"]
    files = ["--requirement", "requirements-dev.lock"]
    return [str(Path(sys.executable).with_name("pip-audit")), *options, *files]


if __name__ == "__main__":
    raise SystemExit(main())
