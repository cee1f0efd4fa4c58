import random

from hypothesis import given
from hypothesis import strategies as st

from saccade.data.stories import FACTS, SENTENCES, WORDS, story


@given(seed=st.integers(0, 10_000), facts=st.sampled_from(FACTS))
def test_the_needed_facts_lead_from_the_question_to_the_answer(seed, facts):
    told = story(facts, random.Random(seed))
    assert len(told.needed) == facts
    asked = told.question[-1]
    for place in told.needed:
        sentence = told.sentences[place]
        assert asked in sentence
        person_moves = "went" in sentence
        asked = sentence[-1] if person_moves or "in" in sentence else sentence[0]
    assert asked == told.answer
    # Nobody moves again after the move that answers.
    mover = told.sentences[told.needed[-1]][0]
    assert all(sentence[0] != mover or sentence[1] != "went" for sentence in told.sentences[told.needed[-1] + 1 :])
    assert len(told.sentences) <= SENTENCES
    assert {word for sentence in (*told.sentences, told.question) for word in sentence} <= set(WORDS)
