"""The fixtures, in runs of pytest of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def server_of_each_test(result: pytest.RunResult) -> list[str]:
    return [line.removeprefix("server: ") for line in result.outlines if line.startswith("server: ")]


TWO_FILES = {
    f"test_{name}": """
    def test_one(kubernetes_cluster):
        print(f"\\nserver: {kubernetes_cluster.pid}")

    def test_two(kubernetes_cluster):
        print(f"\\nserver: {kubernetes_cluster.pid}")
    """
    for name in ("first", "second")
}


@pytest.mark.parametrize("scope, clusters", [("session", 1), ("module", 2), ("function", 4)])
def test_the_scope_says_how_many_clusters_there_are(pytester: pytest.Pytester, scope: str, clusters: int) -> None:
    pytester.makepyfile(**TWO_FILES)
    result = pytester.runpytest("-s", f"--coxswain-scope={scope}", "--coxswain-args=--apiserver-only")
    result.assert_outcomes(passed=4)
    assert len(set(server_of_each_test(result))) == clusters


def test_settings_of_the_project(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ncoxswain_scope = module\ncoxswain_args = --apiserver-only --log-level=debug")
    pytester.makepyfile(**TWO_FILES)
    result = pytester.runpytest("-s")
    result.assert_outcomes(passed=4)
    assert len(set(server_of_each_test(result))) == 2


def test_each_worker_of_xdist_has_a_cluster(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import pathlib, time, pytest

        @pytest.mark.parametrize("number", range(8))
        def test_one(kubernetes_cluster, kubernetes_namespace, worker_id, number):
            pathlib.Path(f"{worker_id}-{kubernetes_cluster.pid}").touch()
        """
    )
    result = pytester.runpytest("-n2", "--dist=each", "--coxswain-args=--apiserver-only")
    result.assert_outcomes(passed=16)
    made = [path.name.split("-") for path in pytester.path.glob("gw*-*")]
    assert sorted(worker for worker, _ in made) == ["gw0", "gw1"]
    assert len({pid for _, pid in made}) == 2


def test_a_file_and_a_test_with_clusters_of_their_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_shared=TWO_FILES["test_first"],
        test_module="from coxswain.pytest import cluster_fixture\nkubernetes_cluster = cluster_fixture('--apiserver-only')\n"
        + TWO_FILES["test_first"].replace("\n    ", "\n"),
        test_each="from coxswain.pytest import cluster_fixture\nkubernetes_cluster = cluster_fixture('--apiserver-only', scope='function')\n"
        + TWO_FILES["test_first"].replace("\n    ", "\n"),
    )
    result = pytester.runpytest("-s", "--coxswain-args=--apiserver-only")
    result.assert_outcomes(passed=6)
    assert len(set(server_of_each_test(result))) == 1 + 1 + 2


def test_a_namespace_lives_as_long_as_its_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import json, os, pathlib
        from coxswain._api import request

        seen = []

        def phase(cluster, name):
            return request(cluster._access, "GET", f"/api/v1/namespaces/{name}")[1]["status"]["phase"]

        def test_one(kubernetes_cluster, kubernetes_namespace):
            seen.append(kubernetes_namespace)
            assert phase(kubernetes_cluster, kubernetes_namespace) == "Active"

        def test_two(kubernetes_cluster, kubernetes_kubeconfig, kubernetes_namespace):
            assert phase(kubernetes_cluster, seen[0]) == "Terminating"
            assert kubernetes_namespace != seen[0]
            assert os.environ["KUBECONFIG"] == str(kubernetes_kubeconfig)
            written = json.loads(kubernetes_kubeconfig.read_text())
            assert written["contexts"][0]["context"]["namespace"] == kubernetes_namespace

        def test_three():
            assert "KUBECONFIG" not in os.environ
        """
    )
    pytester._monkeypatch.delenv("KUBECONFIG", raising=False)
    pytester.runpytest("--coxswain-args=--apiserver-only").assert_outcomes(passed=3)


def test_a_failure_shows_the_log_of_the_server(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(kubernetes_cluster):\n    assert False\n")
    result = pytester.runpytest("--coxswain-args=--apiserver-only")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*log of coxswain at https://127.0.0.1:*", "*serving*"])


def test_a_command_that_is_not_there_is_an_error_of_the_fixture(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COXSWAIN_EXECUTABLE", "/absent")
    pytester.makepyfile("def test_one(kubernetes_cluster):\n    pass\n\ndef test_two():\n    pass\n")
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*COXSWAIN_EXECUTABLE names /absent*"])


def test_a_scope_that_is_none_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ncoxswain_scope = forever")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*coxswain_scope is 'forever', and has to be one of session, package, module, class, function*"])


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_a_run_that_is_killed_leaves_nothing(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]) -> None:
    if workers:
        pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import pathlib, time, pytest

        @pytest.mark.parametrize("number", range(2))
        def test_one(kubernetes_cluster, kubernetes_kubeconfig, number):
            pathlib.Path(f"started-{kubernetes_cluster.pid}").touch()
            time.sleep(600)
        """
    )
    temporary = pytester.mkdir("temporary")
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("NODE_DISABLE_COMPILE_CACHE", "1")
    clusters = 2 if workers else 1
    command = [sys.executable, "-m", "pytest", f"--basetemp={pytester.path / 'base'}", *workers]
    with subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        eventually("to start", lambda: run.poll() is not None or len(list(pytester.path.glob("started-*"))) == clusters)
        assert run.poll() is None
        servers = [int(path.name.removeprefix("started-")) for path in pytester.path.glob("started-*")]
        assert len(list(temporary.iterdir())) >= clusters
        run.kill()
    eventually("to end", lambda: not any(is_running(pid) for pid in servers))
    assert list(temporary.iterdir()) == []


def eventually(what: str, check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not check():
        assert time.monotonic() < deadline, f"gave up waiting for it {what}"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # In a container nobody may collect what it ended with.
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or ") Z " not in state.read_text()
