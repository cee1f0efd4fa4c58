from bench.startup import rendered


def test_a_table_of_walls_and_what_they_are_of_the_import():
    whole = {"median": 2.0, "low": 1.9, "high": 2.1}
    share = {"median": 1.25, "low": 1.2, "high": 1.3}
    shown = rendered([{"implementation": "translate", "seconds": whole, "over_import": share}])
    assert shown.splitlines()[-1] == "| translate | 2.00 [1.90, 2.10] | 1.25 [1.20, 1.30] |"
