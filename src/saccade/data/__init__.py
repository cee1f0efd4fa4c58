"""From text to batches of token ids.

In reading order:

    tasks.py              translation, summarisation, parsing and the other tasks
    text_lines.py         the lines of text files, plain or compressed
    corpus_report.py      how many pairs were read and kept, and why the others were left out
    parallel_text.py      aligned text files in, pairs of strings out
    corpus_sources.py     what a corpus is and where one can come from
    corpora.py            the corpora of the catalogue, with licences and checksums
    general_corpora.py    those of many kinds of text, joined from several
    splits.py             how raw corpora are split into train, valid and test
    synthetic.py          an invented language with known alignments
    synthetic_treebank.py  sentences of a small grammar with their trees
    docstrings.py         docstrings of the standard library and their first lines
    measurements.py       pictures, sounds and a time series as lines of text
    stories.py            invented stories, with questions that take one, two or three facts
    catalogue.py          corpora by name: where they are, or how to get them
    fetch.py              downloads, verified and cached
    progress.py           how long jobs report, and how they say how long they will take
    sentencepiece_model.py  what a sentencepiece model says about itself
    normalisation.py      the one form in which text is read
    reservoir.py          a uniform sample of any number of lines
    piece_learning.py     pieces learned from text, with sentencepiece
    tokenizer.py          text to token ids and back
    vocabulary_tokenizer.py  tokenizers of models from elsewhere, with a vocabulary of their own
    language_tokens.py    models of several languages, told which to read and to write
    tokenizer_files.py    the tokenizers of a model folder or a prepared corpus
    byte_pieces.py        characters that are spelled in bytes
    word_rows.py          texts as numbers of their words
    word_cache.py         encoding that encodes each distinct word once
    subword_sampling.py   encoding that cuts words at random
    ragged.py             sequences of different lengths as two arrays
    labels.py             the labels of a classification corpus
    trees.py              constituency trees: bracketed text, and the symbols a parser writes
    tree_symbols.py       the symbols of a treebank
    noise.py              noise as data augmentation: the kinds and how often each is used
    noise_typing.py       capitals, typing errors, punctuation
    noise_copying.py      tags, placeholders, addresses, numbers, emoji: what is to be copied
    config.py             DataConfig, the section [data] of a recipe
    plausibility.py       files that are hardly what was meant
    corpus_scan.py        first pass: a sample for the tokenizer, and what is held out
    corpus_words.py       the words of a corpus, kept in a file between both passes
    mixing.py             further files mixed into the training text
    corpus_encoding.py    second pass: text to tokens, with noise and subword sampling
    corpus_workers.py     the same by several processes
    learned_tokenizers.py  the tokenizers that a corpus teaches
    token_store.py        token ids on disk, memory-mapped
    store_checksums.py    checksums of token stores, also while they are read
    prepared_corpus.py    the folder that training reads: tokenizers, token stores, validation text
    prepare.py            both passes: from text files to such a folder
    batches.py            padded training batches of similar length
    bucketed.py           padded training batches of few shapes
    packed.py             packed training batches without padding
    text_repairs.py       cleaning: what can be mended in a line of text
    language_identification.py  cleaning: whether a text is in another language than expected
    language_scores.py          the same in short for most texts, which are not
    language_names.py     what languages are called in English
    pair_filters.py       cleaning: which pairs are worth keeping, judged by themselves
    repeated_lines.py     cleaning: which of any number of lines have occurred before
    clean.py              a corpus cleaned, with a report of what went and why
    shortlist.py          which target tokens a source token calls for (IBM model 1)
"""
