"""What every generated HTML report shares: the page around it and its figures.

In reading order:

    html.py       one HTML file with its style sheet inside, light or dark as the reader's screen is
    figures.py    matplotlib figures: their style, as files, and as SVG inside a page
"""
