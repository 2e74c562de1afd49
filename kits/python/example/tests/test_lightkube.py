"""With lightkube, against a server that runs nothing but the API."""

import pytest
from lightkube.core.exceptions import ApiError
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.core_v1 import ConfigMap, Pod

from coxswain.pytest import cluster_fixture

kubernetes_cluster = cluster_fixture("--apiserver-only")


@pytest.fixture
def lightkube_client(kubernetes_cluster, kubernetes_namespace):
    with kubernetes_cluster.lightkube_client(kubernetes_namespace) as made:
        yield made


def test_apply_conflicts_with_the_other_manager(lightkube_client):
    def wanted(heading):
        return ConfigMap(apiVersion="v1", kind="ConfigMap", metadata=ObjectMeta(name="course"), data={"heading": heading})

    lightkube_client.apply(wanted("north"), field_manager="captain")
    with pytest.raises(ApiError, match='conflict with "captain": .data.heading') as refused:
        lightkube_client.apply(wanted("east"), field_manager="mate")
    assert refused.value.status.reason == "Conflict"
    lightkube_client.apply(wanted("east"), field_manager="mate", force=True)
    assert lightkube_client.get(ConfigMap, "course").data == {"heading": "east"}


def test_nothing_schedules_pods(lightkube_client):
    lightkube_client.create(
        Pod.from_dict({"metadata": {"name": "idle"}, "spec": {"containers": [{"name": "main", "image": "busybox"}]}})
    )
    assert lightkube_client.get(Pod, "idle").status.phase == "Pending"


def test_the_cluster_has_no_definitions_of_others(lightkube_client):
    assert list(lightkube_client.list(CustomResourceDefinition)) == []


def test_what_is_absent_is_not_found(lightkube_client):
    with pytest.raises(ApiError) as refused:
        lightkube_client.get(ConfigMap, "absent")
    assert refused.value.status.code == 404
