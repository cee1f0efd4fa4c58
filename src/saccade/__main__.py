"""`saccade`, and `python -m saccade`: where the program begins.

The command line is imported inside, so that Ctrl-C ends it in one line from the first moment on.
"""

import sys


def main() -> None:
    """Runs the command line."""
    try:
        from saccade.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
