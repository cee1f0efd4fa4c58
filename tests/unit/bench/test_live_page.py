from bench.live_page import least, rendered


def test_a_row_without_tokens_has_no_rate():
    rows = [
        {"what": "ready", "tokens": 0, "seconds": 2.0, "cpu_seconds": 1.5},
        {"what": "search, beam 1", "tokens": 900, "seconds": 3.0, "cpu_seconds": 2.0},
    ]
    assert "| ready | 2.00 | 1.50 |  |  |  |" in rendered(rows)
    assert "| search, beam 1 | 3.00 | 2.00 | 900 | 300 | 450 |" in rendered(rows)


def test_the_run_that_took_the_least_is_shown():
    assert least([{"cpu_seconds": 2.5}, {"cpu_seconds": 1.5}, {"cpu_seconds": 1.75}]) == {"cpu_seconds": 1.5}
