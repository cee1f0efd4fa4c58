from bench.subjects import DECODING, TRAINING, chosen, unknown


def test_saccade_and_the_floor_are_in_every_table():
    keys = [subject.key for subject in chosen(DECODING, ["eole"])]
    assert keys == ["floor", "saccade", "saccade@ctranslate2", "saccade@readable", "eole"]


def test_a_name_takes_all_variants_and_a_key_one():
    assert [one.key for one in chosen(DECODING, ["ctranslate2"])][4:] == [
        "ctranslate2@float32",
        "ctranslate2@float32-split",
        "ctranslate2@int8",
        "ctranslate2@int8-split",
    ]
    assert [one.key for one in chosen(DECODING, ["ctranslate2@int8"])][4:] == ["ctranslate2@int8"]


def test_nothing_asked_for_is_everybody():
    assert chosen(TRAINING, None) == list(TRAINING)


def test_keys_are_unique():
    for subjects in (TRAINING, DECODING):
        assert len({subject.key for subject in subjects}) == len(subjects)


def test_strange_names_are_found():
    assert unknown(["huggingface", "hugging_face", "ctranslate2@int8"]) == ["hugging_face"]
