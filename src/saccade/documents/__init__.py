"""Documents as text: what is layout and stays, what is a sentence and is translated. Knows no model.

In reading order:

    document.py              layout and sentences; a sentence with its inline markup
    sentence_splitting.py    where sentences begin and end
    inline_text.py           text with inline markup, as tokens, becomes layout and sentences
    inline_markup.py         HTML tags and the emphasis, links and code of Markdown as such tokens
    markup_placement.py      markup put back into a translated sentence
    typeset_words.py         ligatures and soft hyphens, read as words are spelled
    long_sentences.py        sentences too long for a model cut at good places
    protected_spans.py       what a translation must copy: addresses, numbers, code, placeholders, emoji
    plain_text.py            plain text: lines, indentation, lists
    html_files.py            HTML
    markdown_files.py        Markdown
    subtitles.py             SubRip and WebVTT
    escaped_text.py          plain text inside a format that escapes some characters
    json_strings.py          the string values of JSON
    po_files.py              gettext catalogues
    xml_tokens.py            XML cut into tags and text, document types refused
    xliff.py                 XLIFF 1.2 and 2.0
    docx.py                  Word documents
    formats.py               the formats by how the names of files end
"""
