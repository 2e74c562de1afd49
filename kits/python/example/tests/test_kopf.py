"""An operator on kopf, run as users run it, against a cluster that only this file uses."""

import time

import pytest
from fleet import DEFINITION, GROUP, PLURAL, VERSION
from kopf.testing import KopfRunner
from kubernetes import client

from coxswain.pytest import cluster_fixture

# It needs no Pods, and no other test should see its definition.
kubernetes_cluster = cluster_fixture("--controllers=*", "--no-scheduler", "--no-node")


@pytest.fixture(scope="module")
def api(kubernetes_cluster):
    with kubernetes_cluster.kubernetes_client() as api:
        client.ApiextensionsV1Api(api).create_custom_resource_definition(DEFINITION)
        eventually(lambda: is_established(api))
        yield api


@pytest.fixture
def operator(api, kubernetes_kubeconfig, kubernetes_namespace):
    """KUBECONFIG names the kubeconfig meanwhile."""
    with KopfRunner(["run", "--namespace", kubernetes_namespace, "--standalone", "-m", "fleet"], timeout=30) as runner:
        yield runner
    assert runner.exit_code == 0, runner.output


def is_established(api):
    found = client.ApiextensionsV1Api(api).read_custom_resource_definition(DEFINITION["metadata"]["name"])
    return any(one.type == "Established" and one.status == "True" for one in found.status.conditions or [])


def eventually(check, seconds=30):
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, check
        time.sleep(0.02)


def test_the_operator_keeps_the_names_of_the_ships(api, operator, kubernetes_namespace):
    fleets, core = client.CustomObjectsApi(api), client.CoreV1Api(api)
    fleet = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Fleet", "metadata": {"name": "red"}, "spec": {"ships": 2}}
    made = fleets.create_namespaced_custom_object(GROUP, VERSION, kubernetes_namespace, PLURAL, fleet)
    assert made["spec"] == {"ships": 2, "prefix": "ship"}

    def names():
        found = core.list_namespaced_config_map(kubernetes_namespace, field_selector="metadata.name=red").items
        return found[0].data["ships"].split() if found else None

    eventually(lambda: names() == ["ship-1", "ship-2"])
    change = {"spec": {"ships": 3, "prefix": "boat"}}
    fleets.patch_namespaced_custom_object(GROUP, VERSION, kubernetes_namespace, PLURAL, "red", change)
    eventually(lambda: names() == ["boat-1", "boat-2", "boat-3"])

    def reported():
        return fleets.get_namespaced_custom_object(GROUP, VERSION, kubernetes_namespace, PLURAL, "red").get("status", {}).get("ships")

    eventually(lambda: reported() == 3)
    fleets.delete_namespaced_custom_object(GROUP, VERSION, kubernetes_namespace, PLURAL, "red")
    eventually(lambda: names() is None)


def test_the_definition_refuses_what_is_no_number(api, kubernetes_namespace):
    fleet = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Fleet", "metadata": {"name": "wrong"}, "spec": {"ships": "many"}}
    with pytest.raises(client.exceptions.ApiException, match='must be of type integer'):
        client.CustomObjectsApi(api).create_namespaced_custom_object(GROUP, VERSION, kubernetes_namespace, PLURAL, fleet)
