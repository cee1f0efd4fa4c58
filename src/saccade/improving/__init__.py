"""From a model to a better one: text that models have translated, and training on it.

In reading order:

    translated_text.py     a file translated line by line, with a record of how; the same call continues
    back_translation.py    `saccade.augment`: sources for text that has none
    distillation.py        `saccade.distill`: a small model trained on what large ones write
    pipeline.py            `saccade.improve`: back-translation in rounds, then a small model

Fine-tuning is training (`runs/`, `recipes/fine_tuning.py`).
"""
