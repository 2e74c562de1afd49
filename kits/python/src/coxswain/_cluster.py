"""A cluster as a library, for unittest and whatever else is not pytest."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from . import _api
from ._executable import find_executable
from ._kubeconfig import kubeconfig_with_namespace, read_access
from ._process import ServerProcess

if TYPE_CHECKING:
    import kr8s
    import kubernetes.client
    import lightkube

_LONGEST_NAME = 63


class Cluster:
    """A Kubernetes control plane in a process of its own; it is ready when the constructor returns.

    Nothing of it is kept: its state is in memory, its kubeconfig in a temporary folder that the server removes. It ends
    with `stop`, with the `with` block, and with this process, even if that is killed.

        with Cluster() as cluster:
            api = cluster.kubernetes_client()

    `args` are options of `coxswain`, `--apiserver-only` or `--nodes=3` for instance. Pods run on simulated nodes unless they say
    otherwise. `start_timeout` is in seconds. Raises ExecutableNotFoundError and ClusterError.
    """

    def __init__(self, *args: str, executable: str | os.PathLike[str] | None = None, start_timeout: float = 60) -> None:
        command = find_executable() if executable is None else Path(executable)
        fixed = ["--ephemeral", "--port=0", "--output=json", "--stop-on-stdin-close"]
        self._process = ServerProcess(command, [*fixed, *_with_simulated_nodes(args)], start_timeout)
        try:
            self._access = read_access(self.kubeconfig.read_text())
        except BaseException:
            self.stop()
            raise

    @property
    def server(self) -> str:
        """Its URL, `https://127.0.0.1:PORT`."""
        return self._process.started.server

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig; it is gone after `stop`."""
        return self._process.started.kubeconfig

    @property
    def pid(self) -> int:
        """Of the server."""
        return self._process.started.pid

    @property
    def version(self) -> str:
        """Of coxswain."""
        return self._process.started.version

    @property
    def token(self) -> str:
        """The administrator's bearer token."""
        return self._access.token

    @property
    def certificate_authority(self) -> str:
        """PEM."""
        return self._access.authority

    def log(self) -> str:
        """What the server has logged so far."""
        return self._process.log()

    def stop(self) -> None:
        """Ends it and waits until it has cleaned up; more than once is no error.

        Raises ClusterError with the end of the log when the server had ended before, or did not end in order.
        """
        self._process.stop()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<coxswain.Cluster {self.server}>"

    @contextmanager
    def namespace(self, name: str | None = None) -> Iterator[str]:
        """Creates a namespace and deletes it at the end of the `with` block, without waiting for its objects to be gone.

        Without a name it gets one that nobody else has.
        """
        chosen = unique_name("test") if name is None else name
        _api.create_namespace(self._access, chosen)
        try:
            yield chosen
        finally:
            _api.delete_namespace(self._access, chosen)

    def write_kubeconfig(self, path: str | os.PathLike[str], namespace: str = "default") -> Path:
        """Writes a kubeconfig of the administrator in which the namespace is the one that commands use by default."""
        target = Path(path)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(kubeconfig_with_namespace(self._access, namespace))
        return target

    def kubernetes_client(self) -> kubernetes.client.ApiClient:
        """An ApiClient of the official client, `kubernetes`, which has to be installed."""
        import kubernetes.config

        new_client: Callable[[str], kubernetes.client.ApiClient] = kubernetes.config.new_client_from_config
        return new_client(str(self.kubeconfig))

    def kr8s_api(self) -> kr8s.Api:
        """An API of `kr8s`, which has to be installed; for asyncio, `await kr8s.asyncio.api(kubeconfig=cluster.kubeconfig)`."""
        import kr8s

        return kr8s.api(kubeconfig=str(self.kubeconfig))

    def lightkube_client(self, namespace: str | None = None) -> lightkube.Client:
        """A client of `lightkube`, which has to be installed."""
        import lightkube

        return lightkube.Client(lightkube.KubeConfig.from_file(self.kubeconfig), namespace=namespace)


def unique_name(prefix: str) -> str:
    """A name for a namespace that starts like `prefix`, as far as names may, and that nobody else has."""
    suffix = uuid.uuid4().hex[:10]
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in prefix.lower())
    stem = letters[: _LONGEST_NAME - len(suffix) - 1].strip("-") or "test"
    return f"{stem}-{suffix}"


def _with_simulated_nodes(args: tuple[str, ...]) -> tuple[str, ...]:
    """By itself coxswain takes what runs containers on this machine, if anything does: tests should not depend on that."""
    chosen = ("--runtime", "--apiserver-only", "--no-node")
    return args if any(arg.split("=")[0] in chosen for arg in args) else ("--runtime=simulated", *args)
