"""Trained models in use: from a model folder to translations.

In reading order:

    described_model.py       a model built from what a folder says about it
    config_file.py           config.json: what a model folder says about itself
    languages.py             between which languages a model translates
    bundle.py                a model folder: saved, and loaded strictly
    model_names.py           models by name: folders, runs, and those inside the package
    quantization.py          weights on disk as float32, float16 or int8
    batching.py              inputs of similar length in padded batches
    engines.py               what runs the beam search, torch or CTranslate2, and which to choose
    ctranslate2_engine.py    CTranslate2 as an engine, its conversions cached
    stable_scores.py         scores whose digits do not depend on the batch
    model_engines.py         the engines of one model, shared by all translators of it
    translation.py           translations with their candidates, and scores of given pairs
    source_lines.py          lines encoded for a model, cut or refused where they are too long for it
    word_alignment.py        word alignments from attention weights
    pair_scoring.py          how probable a model finds given pairs
    reranking.py             n-best lists ranked again with the help of other models
    glossary.py              how given words of the source must be translated
    unseen_words.py          words in letters that a model has never seen
    restored_spans.py        spans put into the text of an output, and into its words
    number_forms.py          numbers that an output has in another form than the source
    number_scales.py         numbers with a word of scale: 1.7 billion, 1 700 millones
    stand_ins.py             names and numbers that stand in for spans of a source
    kept_spans.py            protected spans: searched again, or restored, where an output lacks them
    capitals.py              sentences in capitals, read in lower case and written in capitals
    confidence.py            how sure a model is of an output and of each of its words
    repair.py                faults of outputs, and another search for those that have any
    unsure.py                whether the model was sure of what was found
    unknown_words.py         unknown words replaced by the source words they attended to
    translation_options.py   how to search, and what to do with what was found
    given_texts.py           texts as a program gives them, checked
    checked_settings.py      settings as a person gives them, checked against a model
    line_translation.py      a window of lines through the search, and what was found as translations
    text_translation.py      texts by their sentences: split, searched together, and put together again
    line_windows.py          any number of lines, a window of them at a time
    document_translation.py  whole files of the formats that `documents/` knows
    pipeline.py              the way of text through one model, put together from its folder
    translator.py            the Translator: text in, text out
    loading.py               `saccade.load`: models opened by their names
    language_check.py        a warning where an input is plainly not in the model's source language
    problems.py              lines that could not be used, summed up and listed
    unfinished.py            a translation into a file, which can go on after whatever stops it
    evaluate.py              a model or given outputs scored against references
    rerank_tuning.py         the weight of reranking models, chosen on a development set
    attention_report.py      how well attention aligns, layer by layer, and whether outputs depend on it
    calibrate.py             confidences, names and lengths learned for a model folder
    shortlist.py             a shortlist learned for a model folder
"""
