"""The few requests that the kit itself makes, with the standard library alone."""

from __future__ import annotations

import http.client
import json
import ssl
from typing import Any
from urllib.parse import urlsplit

from ._errors import ClusterError
from ._kubeconfig import Access

_TIMEOUT_SECONDS = 30


def request(access: Access, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """The code and the parsed body of an answer, whatever the code."""
    address = urlsplit(access.server)
    context = ssl.create_default_context(cadata=access.authority)
    connection = http.client.HTTPSConnection(address.hostname or "", address.port, context=context, timeout=_TIMEOUT_SECONDS)
    headers = {"Authorization": f"Bearer {access.token}", "Content-Type": "application/json", "Accept": "application/json"}
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except OSError as error:
        raise ClusterError(f"{method} {path} at {access.server} failed: {error}") from error
    finally:
        connection.close()


def create_namespace(access: Access, name: str) -> None:
    """Raises ClusterError when it exists already or the server refuses it."""
    code, answer = request(access, "POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    if code != 201:
        raise ClusterError(f"the namespace {name} was not created: {answer.get('message')}")


def delete_namespace(access: Access, name: str) -> None:
    """Returns once the deletion has begun; one that is gone is no error."""
    code, answer = request(access, "DELETE", f"/api/v1/namespaces/{name}")
    # 409: somebody else deletes it, and it is not gone yet.
    if code not in (200, 202, 404, 409):
        raise ClusterError(f"the namespace {name} was not deleted: {answer.get('message')}")
