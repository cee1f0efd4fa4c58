"""Systems compared on the same data, with the same number of parameters, budget and seeds, and one report page.

In reading order:

    compare.py               the whole comparison: train, measure, report
    train_all.py             plans all runs, with a sweep first if asked for, and trains what is not finished
    system_spec.py           which systems to compare, as the command line names them
    budget.py                what each run may spend: time, steps, tokens or operations
    parameter_matching.py    the width at which a model has a given number of parameters
    plan.py                  recipe, size and number of steps of every system; plan.json
    sweep.py                 learning rate and initial weights of each system, found in the same way for all
    throughput.py            training steps per second, measured
    disk_space.py            whether the disk has room for all runs
    execute.py               trains all runs, one after the other or several at once
    trials.py                the same for the trials of a sweep, of which only the likelihood is looked at
    finished_run.py          the results of one finished run, read from its folder
    measured_system.py       the results of all seeds of a system, and what is measured on its model
    alignments.py            attention weights of every system for the same translations
    operations.py            floating point operations per target token
    complexity.py            sequential operations and path lengths against sentence length, as in Table 1
    path_lengths.py          counts both while a model runs
    report.py                report.json
    engineering.py           engineering that differs between systems, and what it is worth
    settings.py              what was set for which system
    figures.py               the figures of the report
    line_figures.py          which systems a figure of lines has room for, and their names
    tables.py                tables and numbers as HTML
    sections.py              the text and tables of the page
    learning_sections.py     those about learning, speed, engineering and settings
    page.py                  report.html
    table3.py                the rows of Table 3 as changes to the model of a recipe
    table3_verdicts.py       whether each comes out as in the paper
    search_settings.py       finished runs translated again with other beams, penalties and averages
    table3_page.py           the page about them
    table3_report.py         trains all rows; report.json and report.html about them
"""
