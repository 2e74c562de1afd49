"""Patches: the client chooses the kind of patch by its content type."""

from kubernetes import client

from refusals import refused
from typed import pod_template

JSON = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


def made(namespace, name):
    """A deployment with two containers."""
    template = pod_template(name)
    template.spec.containers.append(client.V1Container(name="side", image="side:1"))
    spec = client.V1DeploymentSpec(selector=client.V1LabelSelector(match_labels={"app": name}), template=template)
    body = client.V1Deployment(metadata=client.V1ObjectMeta(name=name, labels={"a": "1", "b": "2"}), spec=spec)
    apps = client.AppsV1Api()
    apps.create_namespaced_deployment(namespace, body)

    def patch(content_type, change):
        return apps.patch_namespaced_deployment(name, namespace, change, _content_type=content_type)

    return patch


def images(deployment):
    return {container.name: container.image for container in deployment.spec.template.spec.containers}


def json_patch(namespace):
    patch = made(namespace, "json")
    change = [
        {"op": "test", "path": "/metadata/labels/a", "value": "1"},
        {"op": "remove", "path": "/metadata/labels/b"},
        {"op": "add", "path": "/metadata/annotations", "value": {"example.org/x": "y"}},
        {"op": "replace", "path": "/spec/template/spec/containers/1/image", "value": "side:2"},
    ]
    patched = patch(JSON, change)
    assert (patched.metadata.labels, patched.metadata.annotations) == ({"a": "1"}, {"example.org/x": "y"})
    assert images(patched)["side"] == "side:2" and patched.metadata.generation == 2
    with refused(422, "Invalid", "the server rejected our request due to an error in our request"):
        patch(JSON, change)


def merge_patch(namespace):
    patch = made(namespace, "merge")
    patched = patch(MERGE, {"metadata": {"labels": {"a": None}}, "spec": {"replicas": 7}})
    assert (patched.metadata.labels, patched.spec.replicas) == ({"b": "2"}, 7)
    patched = patch(MERGE, {"spec": {"template": {"spec": {"containers": [{"name": "only", "image": "only:1"}]}}}})
    assert images(patched) == {"only": "only:1"}


def strategic_patch(namespace):
    patch = made(namespace, "strategic")
    containers = [{"name": "side", "image": "side:2"}, {"name": "more", "image": "more:1"}]
    patched = patch(STRATEGIC, {"spec": {"template": {"spec": {"containers": containers}}}})
    assert images(patched) == {"main": "registry.example.org/shop/web:1.2", "side": "side:2", "more": "more:1"}
    gone = [{"name": "more", "$patch": "delete"}]
    patched = patch(STRATEGIC, {"spec": {"template": {"spec": {"containers": gone}}}})
    assert sorted(images(patched)) == ["main", "side"]


def chosen_by_body(namespace):
    # Without a content type the client sends a list as a JSON patch, and anything else as the first kind that it knows.
    patch = made(namespace, "implied")
    patched = patch(None, [{"op": "replace", "path": "/spec/replicas", "value": 2}])
    assert patched.spec.replicas == 2
    assert patch(None, {"spec": {"replicas": 3}}).spec.replicas == 3


def status(namespace):
    made(namespace, "status")
    change = {"spec": {"replicas": 9}, "status": {"conditions": [{"type": "Available", "status": "True"}]}}
    patched = client.AppsV1Api().patch_namespaced_deployment_status("status", namespace, change)
    assert (patched.spec.replicas, patched.status.conditions[0].type) == (1, "Available")


def unknown(namespace):
    patch = made(namespace, "unknown")
    with refused(415, "UnsupportedMediaType", "415: Unsupported Media Type"):
        patch("application/json", {"spec": {"replicas": 2}})


CHECKS = {
    "JSON patch": json_patch,
    "merge patch": merge_patch,
    "strategic merge patch": strategic_patch,
    "the kind of patch implied by its body": chosen_by_body,
    "status": status,
    "an unknown kind of patch": unknown,
}
