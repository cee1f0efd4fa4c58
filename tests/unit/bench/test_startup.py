from bench.startup import FOLDER, rendered, seconds_of


def test_a_table_of_walls_work_and_what_they_are_of_the_import():
    whole = {"median": 2.0, "low": 1.9, "high": 2.1}
    share = {"median": 1.25, "low": 1.2, "high": 1.3}
    work = {"median": 3.0, "low": 2.9, "high": 3.1}
    shown = rendered([{"implementation": "translate", "seconds": whole, "cpu_seconds": work, "over_import": share}])
    assert shown.splitlines()[-1] == "| translate | 2.00 [1.90, 2.10] | 3.00 [2.90, 3.10] | 1.25 [1.20, 1.30] |"


def test_each_command_has_a_folder_that_is_not_there_yet():
    program = f"import os, sys; os.mkdir('{FOLDER}'); sys.exit(0)"
    for _ in range(2):
        wall, cpu = seconds_of(["-c", program])
        assert wall > 0
        assert cpu > 0
