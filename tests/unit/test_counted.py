from saccade.counted import counted


def test_one_thing_has_no_plural():
    assert [counted(number, "line") for number in (0, 1, 2, 3000)] == ["0 lines", "1 line", "2 lines", "3,000 lines"]
