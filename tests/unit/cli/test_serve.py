"""`saccade serve` tells what is wrong before it loads a model or listens."""

import pytest
from tests.command_line import run_in_process


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--requests", "0"], "`requests` must be from 1 to 1,000,000,000, but is 0."),
        (["--seconds", "nan"], "`seconds` must be from 1 to 1,000,000,000, but is nan."),
        (["--explorer", "javascript:alert(1)"], "`--explorer` must begin with http:// or https://"),
        (["--allow-origin", "a.example"], "`--allow-origin` must begin with http:// or https://, but is 'a.example'"),
        (["--allow-host", "a*b"], "`--allow-host` must be a name"),
        (["--api-keys", "empty"], "`empty` must have at least one key, but has none."),
        (["--api-keys", "wrong"], "line 2 of `wrong` must be a key"),
    ],
)
def test_a_mistake_is_one_line(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("# nobody\n")
    (tmp_path / "wrong").write_text("key 60\nkey sixty\n")
    done = run_in_process("serve", "no-such-model", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
