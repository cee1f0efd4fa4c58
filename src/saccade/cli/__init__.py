"""The command line: from arguments to function calls.

In reading order:

    main.py                 the program `saccade`, and errors as one line
    demo.py                 saccade demo
    train.py                saccade train, verify-resume, replay
    translate.py            saccade translate
    bulk.py                 saccade bulk
    serve.py                saccade serve
    evaluate.py             saccade evaluate
    augment.py              saccade augment
    distill.py              saccade distill
    improve.py              saccade improve
    score.py                saccade score
    attention.py            saccade attention
    explore.py              saccade explore
    compare.py              saccade compare
    claims.py               saccade claims
    data.py                 saccade data
    inspect.py              saccade recipes, saccade models
    export.py               saccade export, saccade shortlist
    import_model.py         saccade import
    importing.py            torch imported without the garbage collector
    progress.py             a training run as it is shown on a terminal or in a log
    options.py              options that several verbs have
    option_group.py         options that several verbs take together
    translation_arguments.py  what `translate` and `bulk translate` are told, and the model loaded for it
    bulk_work.py            what `bulk` does to a shard
    after_search.py         options about what becomes of the outputs of a search
    lines.py                input lines, and a count of them while they pass
    translated_lines.py     translations as lines of output
    translated_document.py  a translated document
"""
