"""With the official client."""

import pytest
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException


@pytest.fixture
def api(kubernetes_cluster):
    with kubernetes_cluster.kubernetes_client() as api:
        yield api


def deployment(name, replicas):
    labels = {"app": name}
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}},
        },
    }


def test_a_deployment_becomes_available(api, kubernetes_namespace):
    apps = client.AppsV1Api(api)
    apps.create_namespaced_deployment(kubernetes_namespace, deployment("web", replicas=3))
    watching = watch.Watch()
    for event in watching.stream(apps.list_namespaced_deployment, kubernetes_namespace, timeout_seconds=30):
        if event["object"].status.ready_replicas == 3:
            watching.stop()
    pods = client.CoreV1Api(api).list_namespaced_pod(kubernetes_namespace, label_selector="app=web").items
    assert {pod.status.phase for pod in pods} == {"Running"}
    assert {pod.spec.node_name for pod in pods} <= {"node-1", "node-2"}


def test_a_stale_write_is_refused(api, kubernetes_namespace):
    core = client.CoreV1Api(api)
    stale = core.create_namespaced_config_map(kubernetes_namespace, {"metadata": {"name": "course"}, "data": {"heading": "north"}})
    core.patch_namespaced_config_map("course", kubernetes_namespace, {"data": {"heading": "east"}})
    stale.data["heading"] = "south"
    with pytest.raises(ApiException, check=lambda error: error.status == 409 and error.reason == "Conflict"):
        core.replace_namespaced_config_map("course", kubernetes_namespace, stale)
    assert core.read_namespaced_config_map("course", kubernetes_namespace).data == {"heading": "east"}


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_has_a_namespace_of_its_own(api, kubernetes_namespace, attempt):
    client.CoreV1Api(api).create_namespaced_config_map(kubernetes_namespace, {"metadata": {"name": "same-name"}})
