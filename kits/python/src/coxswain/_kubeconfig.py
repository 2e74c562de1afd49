"""What the kit reads from the kubeconfig that coxswain wrote, without a parser of YAML: a line for each value."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass

from ._errors import ClusterError


@dataclass(frozen=True)
class Access:
    """How the administrator reaches the server."""

    server: str
    authority: str
    """PEM."""
    token: str


def read_access(kubeconfig: str) -> Access:
    """Raises ClusterError for a file that coxswain did not write."""
    return Access(
        server=_value(kubeconfig, "server"),
        authority=base64.b64decode(_value(kubeconfig, "certificate-authority-data")).decode(),
        token=_value(kubeconfig, "token"),
    )


def kubeconfig_with_namespace(access: Access, namespace: str) -> str:
    """A kubeconfig whose context has the namespace; JSON, which is YAML too."""
    name = "coxswain"
    authority = base64.b64encode(access.authority.encode()).decode()
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": access.server, "certificate-authority-data": authority}}],
            "users": [{"name": name, "user": {"token": access.token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": namespace}}],
            "current-context": name,
        },
        indent=2,
    )


def _value(kubeconfig: str, key: str) -> str:
    # The administrator's entries are the first of their kind, and on lines of their own.
    found = re.search(rf'^\s+{re.escape(key)}: "?([^"\s]+)"?$', kubeconfig, re.MULTILINE)
    if found is None:
        raise ClusterError(f"the kubeconfig of coxswain has no {key}")
    return found[1]
