"""With kr8s, in asyncio by pytest-asyncio, and on asyncio and trio by anyio's own plugin."""

import kr8s
import kr8s.asyncio
import pytest
from kr8s.asyncio.objects import ConfigMap as AsyncConfigMap
from kr8s.asyncio.objects import Pod as AsyncPod
from kr8s.objects import ConfigMap


def pod(name, namespace):
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "main", "image": "busybox"}]},
    }


@pytest.mark.asyncio
async def test_a_pod_becomes_ready(kubernetes_cluster, kubernetes_namespace):
    api = await kr8s.asyncio.api(kubeconfig=str(kubernetes_cluster.kubeconfig))
    made = await AsyncPod(pod("single", kubernetes_namespace), api=api)
    await made.create()
    await made.wait("condition=Ready", timeout=30)
    assert made.status.phase == "Running"


@pytest.mark.anyio
async def test_a_watch_sees_a_change(kubernetes_cluster, kubernetes_namespace):
    api = await kr8s.asyncio.api(kubeconfig=str(kubernetes_cluster.kubeconfig))
    made = await AsyncConfigMap({"metadata": {"name": "course", "namespace": kubernetes_namespace}, "data": {}}, api=api)
    await made.create()
    seen = []
    async for event, found in api.watch("configmaps", namespace=kubernetes_namespace, field_selector="metadata.name=course"):
        seen.append((event, found.raw.get("data")))
        if event == "ADDED":
            await made.patch({"data": {"heading": "east"}})
        else:
            break
    assert seen == [("ADDED", None), ("MODIFIED", {"heading": "east"})]


def test_without_asyncio(kubernetes_cluster, kubernetes_namespace):
    api = kubernetes_cluster.kr8s_api()
    made = ConfigMap({"metadata": {"name": "course", "namespace": kubernetes_namespace}, "data": {"heading": "north"}}, api=api)
    made.create()
    with pytest.raises(kr8s.ServerError) as refused:
        made.create()
    assert refused.value.response.status_code == 409
