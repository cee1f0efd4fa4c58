import json
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from bench.server_process import serving


@pytest.mark.slow
def test_a_server_answers_for_as_long_as_it_is_used():
    with serving("explore", "en-es", "--no-browser") as address, urlopen(f"{address}/api/health", timeout=60) as answer:
        assert json.load(answer)["status"] == "ok"
    with pytest.raises(URLError):
        urlopen(f"{address}/api/health", timeout=60)


@pytest.mark.slow
def test_a_command_that_does_not_serve_is_told(capfd):
    told = "`saccade explore no-such --no-browser` must serve, but has ended"
    with pytest.raises(RuntimeError, match=told), serving("explore", "no-such", "--no-browser"):
        pass
    assert "but is 'no-such'" in capfd.readouterr().err
