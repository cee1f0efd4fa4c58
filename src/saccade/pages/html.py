"""An HTML file that needs nothing else: no script, nothing fetched, light or dark as the reader's screen is."""

from html import escape

_STYLE = """
:root { color-scheme: light dark; --ink: #14181d; --soft: #5b6470; --paper: #ffffff; --panel: #f4f6f8; --line: #d9dee4;
  --accent: #2f7de1; --good: #2b7a3f; --caution: #9a6a00; --bad: #b3382c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --soft: #9aa5b1; --paper: #14181d; --panel: #1d232a;
  --line: #343c46; --accent: #6aa9f4; --good: #7bc98f; --caution: #e0b04a; --bad: #ee8d83; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: var(--ink);
  background: var(--paper); }
table { border-collapse: collapse; width: 100%; }
figure { margin: 0; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
"""


def html_page(title: str, style: str, body: str) -> str:
    """The whole file; `style` is CSS that follows the common style sheet and may use its colours."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
