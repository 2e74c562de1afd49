"""The dynamic client: resources found by discovery, objects without models."""

import os
import tempfile

from kubernetes import client, dynamic
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, ResourceNotFoundError
from kubernetes.dynamic.resource import ResourceList


def connect():
    """Its discovery is kept in a file of its own, as several connect at once."""
    return dynamic.DynamicClient(client.ApiClient(), cache_file=os.path.join(tempfile.mkdtemp(), "discovery.json"))


def round_trip(namespace):
    maps = connect().resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "loose", "namespace": namespace}, "data": {"n": "0"}}
    created = maps.create(body=body)
    patch = {"metadata": {"name": "loose"}, "data": {"n": "1"}}
    patched = maps.patch(body=patch, namespace=namespace, content_type="application/merge-patch+json")
    assert (created.data.n, patched.data.n) == ("0", "1")
    try:
        maps.replace(body=created.to_dict(), namespace=namespace)
        raise AssertionError("no conflict")
    except ConflictError as error:
        assert error.status == 409 and "the object has been modified" in error.summary(), error.summary()
    assert [item.metadata.name for item in maps.get(namespace=namespace, field_selector="metadata.name=loose").items] == ["loose"]
    assert maps.delete(name="loose", namespace=namespace).status == "Success"
    try:
        maps.get(name="loose", namespace=namespace)
        raise AssertionError("still there")
    except NotFoundError:
        pass


def discovery(namespace):
    found = connect()
    assert found.version["kubernetes"]["gitVersion"].startswith("v1.36."), found.version
    assert found.resources.get(api_version="apps/v1", kind="Deployment").subresources["scale"].kind == "Scale"
    assert found.resources.get(kind="HorizontalPodAutoscaler", preferred=True).group_version == "autoscaling/v2"
    assert found.resources.get(api_version="v1", kind="Node").namespaced is False
    try:
        found.resources.get(api_version="example.org/v1", kind="Boat")
        raise AssertionError("a Boat")
    except ResourceNotFoundError:
        pass


def everything(namespace):
    """Every listable resource answers, and its items are of its kind."""
    found = connect()
    resources = [resource for same in found.resources for resource in same if not isinstance(resource, ResourceList)]
    listable = [resource for resource in resources if "list" in resource.verbs]
    for resource in listable:
        answer = resource.get(limit=1).to_dict()
        assert answer["kind"] == f"{resource.kind}List", (resource.group_version, resource.kind, answer["kind"])
        assert isinstance(answer["items"], list)
    assert len(listable) > 60, len(listable)


def stream(namespace):
    maps = connect().resources.get(api_version="v1", kind="ConfigMap")
    before = maps.get(namespace=namespace).metadata.resourceVersion
    for name in ("one", "two"):
        maps.create(body={"metadata": {"name": f"watched-{name}"}}, namespace=namespace)
    events = maps.watch(namespace=namespace, name="watched-two", resource_version=before, timeout=1)
    assert [(event["type"], event["object"].metadata.name) for event in events] == [("ADDED", "watched-two")]


CHECKS = {
    "an object goes round": round_trip,
    "resources are found": discovery,
    "every resource lists its kind": everything,
    "a watch": stream,
}
