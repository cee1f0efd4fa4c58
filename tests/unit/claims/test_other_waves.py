import numpy as np
import torch
from sacrebleu.metrics.bleu import BLEU

from saccade.claims.transformer.t41_other_waves import alternating, score, standard_error, statistics
from saccade.layers.position import halved_sinusoids, sinusoids

OUTPUTS = ["el gato está en la alfombra", "los perros duermen mucho hoy", "una casa", "nada de nada más que esto"]
REFERENCES = ["el gato está sobre la alfombra", "los perros duermen mucho", "una casa roja", "nada de nada más que eso"]


def test_the_other_waves_come_in_the_order_of_the_paper():
    assert torch.equal(alternating(halved_sinusoids(13, 22)), sinusoids(13, 22))


def test_the_counts_of_sentences_add_up_to_the_score_of_the_corpus():
    found = score(statistics(OUTPUTS, REFERENCES).sum(axis=0))
    assert abs(found - BLEU().corpus_score(OUTPUTS, [REFERENCES]).score) < 1e-9


def test_the_error_of_a_difference_is_that_of_the_sentences_that_differ():
    many = statistics(OUTPUTS * 50, REFERENCES * 50)
    assert standard_error(many, many, seed=1) == 0
    better = np.concatenate([statistics(REFERENCES[:2], REFERENCES[:2]), many[2:]])
    assert (
        0 < standard_error(better, many, seed=1) < standard_error(statistics(REFERENCES * 50, REFERENCES * 50), many, 1)
    )
