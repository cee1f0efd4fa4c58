from bench.results import Results

PIECE = {"title": "t", "settings": {"steps": 3}, "rows": [{"implementation": "x", "title": "X", "error": "none"}]}


def test_what_was_kept_is_there_in_the_next_run(tmp_path):
    Results(tmp_path / "r.json").keep("train small", PIECE)
    again = Results(tmp_path / "r.json")
    assert again.has("train small", {"steps": 3}, ["x"])


def test_other_settings_are_another_measurement(tmp_path):
    results = Results(tmp_path / "r.json")
    results.keep("train small", PIECE)
    assert not results.has("train small", {"steps": 5}, ["x"])


def test_an_implementation_that_is_missing_is_a_reason_to_measure(tmp_path):
    results = Results(tmp_path / "r.json")
    results.keep("train small", PIECE)
    assert not results.has("train small", {"steps": 3}, ["x", "y"])


def test_a_table_lies_beside_the_numbers(tmp_path):
    Results(tmp_path / "r.json").keep("train small", PIECE)
    assert "| X | fails: none |" in (tmp_path / "r.md").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "r.md"]


def test_a_piece_may_bring_its_own_table(tmp_path):
    results = Results(tmp_path / "r.json")
    results.keep("startup", {"title": "t", "settings": {}, "rows": [], "markdown": "a table\n"})
    assert results.shown("startup") == "a table\n"
