from saccade.data.measurements import FUTURE, HEIGHTS, PAST, handwritten_digits, heartbeats, spoken_vowels


def test_four_points_of_a_digit_become_one_of_ten_levels():
    points = [0] * 784
    points[0], points[1], points[28], points[29] = 255, 255, 255, 255
    points[783] = 255
    found = handwritten_digits([",".join(map(str, [*points, 7])) + "\n"])
    [(picture, label)] = [pair for pairs in found.pairs.values() for pair in pairs]
    levels = picture.split()
    assert (len(levels), levels[0], levels[1], levels[-1], label) == (196, "9", "0", "2", "7")


def test_channels_become_moments():
    found = spoken_vowels(["# about\n@data\n" + ":".join(f"{channel}.5,2" for channel in range(12)) + ":9\n"])
    [(sound, speaker)] = [pair for pairs in found.pairs.values() for pair in pairs]
    first, second = sound.split()
    assert first.split(",") == [f"{channel}.500" for channel in range(12)]
    assert second == ",".join(["2.000"] * 12)
    assert speaker == "9"


def test_windows_of_a_series_follow_each_other_and_do_not_cross_parts():
    values = range(6 * 1000)  # a ramp, of 1,000 means
    found = heartbeats(["data,label\n" + "".join(f"{value},0\n" for value in values)]).pairs
    assert [len(pairs) for pairs in found.values()] == [700 - 107, 150 - 107, 150 - 107]
    for past, future in found["train"]:
        levels = [int(word) for word in f"{past} {future}".split()]
        assert len(levels) == PAST + FUTURE
        assert levels[PAST - 1] == HEIGHTS
        assert levels == sorted(levels)
        assert levels[-1] - levels[0] in (6, 7)  # 107 of 1,000 means, in 64 steps
