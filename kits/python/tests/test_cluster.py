"""The life of a server, and what is said when it has none."""

from __future__ import annotations

import json
import os
import signal
import ssl
import stat
import urllib.request
from pathlib import Path

import pytest
from conftest import Command

from coxswain import Cluster, ClusterError, __version__
from coxswain._cluster import unique_name
from coxswain._kubeconfig import read_access


def api_server() -> Cluster:
    return Cluster("--apiserver-only")


def names(cluster: Cluster) -> set[str]:
    request = urllib.request.Request(f"{cluster.server}/api/v1/namespaces", headers={"Authorization": f"Bearer {cluster.token}"})
    context = ssl.create_default_context(cadata=cluster.certificate_authority)
    with urllib.request.urlopen(request, context=context) as answer:
        return {item["metadata"]["name"] for item in json.load(answer)["items"]}


def test_nothing_is_left_of_it() -> None:
    with api_server() as cluster:
        assert "default" in names(cluster)
        assert cluster.version == __version__
        assert cluster.kubeconfig.is_absolute() and cluster.kubeconfig.is_file()
    assert not cluster.kubeconfig.parent.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(cluster.pid, 0)
    cluster.stop()


def test_two_do_not_know_of_each_other() -> None:
    with api_server() as one, api_server() as other, one.namespace("only-here") as name:
        assert name in names(one)
        assert name not in names(other)


def test_a_namespace_that_exists_is_not_taken() -> None:
    with api_server() as cluster, pytest.raises(ClusterError, match='namespaces "default" already exists'):
        with cluster.namespace("default"):
            pass


def test_a_written_kubeconfig_has_the_namespace_and_is_private(tmp_path: Path) -> None:
    with api_server() as cluster:
        path = cluster.write_kubeconfig(tmp_path / "kubeconfig", "mine")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        written = json.loads(path.read_text())
        assert written["contexts"][0]["context"]["namespace"] == "mine"
        assert written["clusters"][0]["cluster"]["server"] == cluster.server


def test_an_interrupt_from_the_terminal_is_for_the_tests_alone() -> None:
    with api_server() as cluster:
        assert os.getpgid(cluster.pid) != os.getpgid(0)
        assert "default" in names(cluster)


def test_one_that_was_killed_is_reported() -> None:
    cluster = api_server()
    os.kill(cluster.pid, signal.SIGKILL)
    with pytest.raises(ClusterError, match="coxswain ended with "):
        cluster.stop()
    cluster.stop()


def test_a_forked_child_neither_keeps_it_running_nor_stops_it() -> None:
    cluster = api_server()
    go_on, may_go_on = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(may_go_on)
        cluster.stop()
        os.read(go_on, 1)
        os._exit(0)
    os.close(go_on)
    try:
        assert "default" in names(cluster)
        # The child is there, and would hold the pipe.
        cluster.stop()
    finally:
        os.close(may_go_on)
        assert os.waitpid(child, 0)[1] == 0
    assert not cluster.kubeconfig.exists()


def test_a_refused_option_is_in_the_error() -> None:
    with pytest.raises(ClusterError, match="unknown option '--nonsense'"):
        Cluster("--nonsense")


def test_an_end_before_it_is_ready_shows_the_log(command: Command) -> None:
    with pytest.raises(ClusterError, match="ended with 3 before it was ready\n  no room"):
        Cluster(executable=command("echo no room >&2; exit 3"))


def test_a_start_that_takes_too_long_is_ended(command: Command, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(ClusterError, match="not ready within 0.2 s"):
        Cluster(executable=command(f"echo $$ >{pid}; exec sleep 600"), start_timeout=0.2)
    if pid.exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


def test_another_line_than_expected_is_shown(command: Command) -> None:
    with pytest.raises(ClusterError, match="printed b'coxswain 0.0.1.n', which is not what"):
        Cluster(executable=command("echo coxswain 0.0.1; cat >/dev/null"))


def test_what_cannot_be_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="absent cannot be run"):
        Cluster(executable=tmp_path / "absent")


@pytest.mark.parametrize(
    "args, expected",
    [
        ((), "--runtime=simulated"),
        (("--nodes=3",), "--runtime=simulated --nodes=3"),
        (("--apiserver-only",), "--apiserver-only"),
        (("--runtime", "process"), "--runtime process"),
        (("--no-node",), "--no-node"),
    ],
)
def test_nodes_are_simulated_unless_said_otherwise(command: Command, args: tuple[str, ...], expected: str) -> None:
    with pytest.raises(ClusterError, match=f"--stop-on-stdin-close {expected}$"):
        Cluster(*args, executable=command('echo "$@" >&2; exit 1'))


@pytest.mark.parametrize(
    "prefix, expected",
    [("test_one[a-B]", r"test-one-a-b-[0-9a-f]{10}"), ("x" * 100, r"x{52}-[0-9a-f]{10}"), ("测试", r"test-[0-9a-f]{10}")],
)
def test_names_of_namespaces_follow_those_of_tests(prefix: str, expected: str) -> None:
    import re

    assert re.fullmatch(expected, unique_name(prefix))
    assert unique_name(prefix) != unique_name(prefix)


def test_a_kubeconfig_of_somebody_else_is_refused() -> None:
    with pytest.raises(ClusterError, match="has no certificate-authority-data"):
        read_access("clusters:\n- cluster:\n    server: https://example.org\n")
