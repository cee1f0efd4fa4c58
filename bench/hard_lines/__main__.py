"""The command line: `python -m bench.hard_lines MODEL`."""

import argparse

import saccade
from bench.hard_lines.scoring import hard_lines, lost, scores


def main() -> None:
    """Translates all lines and prints the table, or the lines of one phenomenon."""
    parser = argparse.ArgumentParser(description="Three hundred hard lines of English, into Spanish.")
    parser.add_argument("model", help="a model folder, or the name of a shipped model")
    parser.add_argument("--show", metavar="PHENOMENON", help="print its lines with their outputs; `all` for all")
    parser.add_argument("--device")
    asked = parser.parse_args()
    lines = hard_lines()
    outputs = saccade.load(asked.model, device=asked.device).translate([line.source for line in lines], on_error="copy")
    if asked.show:
        for line, output in zip(lines, outputs, strict=True):
            if asked.show in ("all", line.phenomenon):
                missing = ", ".join(lost(line, output))
                print(f"{line.source}\n  {output}" + (f"\n  lost: {missing}" if missing else ""))
        return
    print("| phenomenon | lines | whole | chrF |\n|---|---|---|---|")
    for row in scores(lines, outputs):
        print(f"| {row.phenomenon} | {row.lines} | {row.whole} | {row.chrf:.1f} |")


if __name__ == "__main__":
    main()
