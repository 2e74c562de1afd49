"""The plugin for pytest: a cluster and namespaces as fixtures.

    kubernetes_cluster      a `coxswain.Cluster`, one for the run, or as `coxswain_scope` says
    kubernetes_namespace    the name of a namespace that is the test's own
    kubernetes_kubeconfig   a kubeconfig with that namespace; KUBECONFIG names it during the test

With pytest-xdist each worker has a cluster of its own.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Literal

import pytest

from ._cluster import Cluster, unique_name

Scope = Literal["session", "package", "module", "class", "function"]
SCOPES: tuple[Scope, ...] = ("session", "package", "module", "class", "function")

_LINES_IN_REPORTS = 50
# These clients read KUBECONFIG when they are imported, and not again.
_READ_AT_IMPORT = (
    "kubernetes.config",
    "kubernetes.config.kube_config",
    "kubernetes_asyncio.config",
    "kubernetes_asyncio.config.kube_config",
)

_clusters = pytest.StashKey[list[Cluster]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("coxswain", "Kubernetes clusters for tests")
    group.addoption("--coxswain-args", help="options of coxswain, such as '--nodes=3 --log-level=debug'; overrides coxswain_args")
    group.addoption("--coxswain-scope", choices=SCOPES, help="how long tests share a cluster; overrides coxswain_scope")
    parser.addini("coxswain_args", "options of coxswain", type="args", default=[])
    parser.addini("coxswain_scope", f"how long tests share a cluster: {', '.join(SCOPES)}", default="session")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_clusters] = []
    scope = config.getini("coxswain_scope")
    if scope not in SCOPES:
        raise pytest.UsageError(f"coxswain_scope is {scope!r}, and has to be one of {', '.join(SCOPES)}")


def cluster_fixture(*args: str, scope: Scope = "module") -> Callable[..., Iterator[Cluster]]:
    """A fixture with a cluster of its own: for the tests of a file when it stands in the file, for each test with `scope="function"`.

        kubernetes_cluster = cluster_fixture("--nodes=3")

    Under the name `kubernetes_cluster` it is the one that the other fixtures of this plugin use.
    """

    @pytest.fixture(scope=scope)
    def kubernetes_cluster(pytestconfig: pytest.Config) -> Iterator[Cluster]:
        yield from _run(pytestconfig, args)

    return kubernetes_cluster


def _scope(fixture_name: str, config: pytest.Config) -> Scope:
    scope: Scope = config.getoption("--coxswain-scope") or config.getini("coxswain_scope")
    return scope


@pytest.fixture(scope=_scope)
def kubernetes_cluster(pytestconfig: pytest.Config) -> Iterator[Cluster]:
    """A Kubernetes cluster, which tests share as long as `coxswain_scope` says: for the whole run by default."""
    given: str | None = pytestconfig.getoption("--coxswain-args")
    yield from _run(pytestconfig, pytestconfig.getini("coxswain_args") if given is None else shlex.split(given))


@pytest.fixture
def kubernetes_namespace(kubernetes_cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a namespace that nobody but this test uses; it is deleted after the test."""
    with kubernetes_cluster.namespace(unique_name(request.node.name)) as name:
        yield name


@pytest.fixture
def kubernetes_kubeconfig(
    kubernetes_cluster: Cluster, kubernetes_namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The path of a kubeconfig with the test's namespace; during the test KUBECONFIG names it, for kubectl, kopf and others."""
    path = kubernetes_cluster.write_kubeconfig(tmp_path / "kubeconfig", kubernetes_namespace)
    monkeypatch.setenv("KUBECONFIG", str(path))
    for name in _READ_AT_IMPORT:
        if name in sys.modules:
            monkeypatch.setattr(sys.modules[name], "KUBE_CONFIG_DEFAULT_LOCATION", str(path), raising=False)
    return path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows with a failure what the servers have logged last."""
    report = yield
    if report.failed:
        for cluster in item.config.stash[_clusters]:
            lines = cluster.log().splitlines()[-_LINES_IN_REPORTS:]
            if lines:
                report.sections.append((f"log of coxswain at {cluster.server}", "\n".join(lines)))
    return report


def _run(config: pytest.Config, args: list[str] | tuple[str, ...]) -> Iterator[Cluster]:
    running = config.stash[_clusters]
    with Cluster(*args) as cluster:
        running.append(cluster)
        try:
            yield cluster
        finally:
            running.remove(cluster)
