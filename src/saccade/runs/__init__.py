"""Training runs: from a recipe to an evaluated model in one folder.

In reading order:

    run.py              `saccade.train`: prepare, train, average, save, evaluate
    run_events.py       what a run tells those who listen
    output_folder.py    which folder may become a run
    run_folder.py       what a run folder holds, and whether it is finished
    recipe_changes.py   what may change when a run goes on, and the record of it
    refusal.py          a refused run leaves nothing behind
    fine_tuning.py      a run that begins from a model
    usual_length.py     how long the sentences were that a model learned from
    validation.py       scores during training
    final_model.py      the model a run leaves: averaged, saved, scored
    model_card.py       the model card
    verify_resume.py    checks that a killed and resumed run ends with the same bits
"""
