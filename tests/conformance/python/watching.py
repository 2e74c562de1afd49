"""Watches: live, resumed, expired, and an informer on top of them."""

import threading

from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.informer import SharedInformer

Meta = client.V1ObjectMeta


def write(namespace, name):
    """Three changes of one object: created, patched, deleted. Returns the version before them."""
    core = client.CoreV1Api()
    before = core.list_namespaced_config_map(namespace).metadata.resource_version
    core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=Meta(name=name, labels={"name": name})))
    core.patch_namespaced_config_map(name, namespace, {"data": {"k": "v"}})
    core.delete_namespaced_config_map(name, namespace)
    return before


def watched(namespace, name, **options):
    core, stream = client.CoreV1Api(), watch.Watch()
    return stream, stream.stream(core.list_namespaced_config_map, namespace, label_selector=f"name={name}", **options)


def live(namespace):
    before = client.CoreV1Api().list_namespaced_config_map(namespace).metadata.resource_version
    stream, events = watched(namespace, "live", resource_version=before, timeout_seconds=20)
    threading.Timer(0.3, write, (namespace, "live")).start()
    seen = []
    for event in events:
        assert isinstance(event["object"], client.V1ConfigMap) and event["object"].kind == "ConfigMap"
        seen.append((event["type"], event["object"].data, event["object"].metadata.resource_version))
        if event["type"] == "DELETED":
            stream.stop()
    assert [(kind, data) for kind, data, _ in seen] == [("ADDED", None), ("MODIFIED", {"k": "v"}), ("DELETED", {"k": "v"})], seen
    versions = [int(version) for *_, version in seen]
    assert versions == sorted(set(versions)), versions


def resumed(namespace):
    before = write(namespace, "resumed")
    _, events = watched(namespace, "resumed", resource_version=before, timeout_seconds=1)
    first = list(events)
    assert [event["type"] for event in first] == ["ADDED", "MODIFIED", "DELETED"]
    _, events = watched(namespace, "resumed", resource_version=first[0]["object"].metadata.resource_version, timeout_seconds=1)
    assert [event["raw_object"] for event in events] == [event["raw_object"] for event in first[1:]]


def reconnected(namespace):
    # Without a timeout the client goes on where the server ended the stream; here the first stream sees no end.
    before = write(namespace, "again")
    stream, events = watched(namespace, "again", resource_version=before)
    kinds = []
    for event in events:
        kinds.append(event["type"])
        if len(kinds) == 3:
            stream.stop()
    assert kinds == ["ADDED", "MODIFIED", "DELETED"]
    assert int(stream.resource_version) > int(before)


def expired(namespace):
    for options in [{}, {"timeout_seconds": 5}]:
        _, events = watched(namespace, "expired", resource_version="1", **options)
        try:
            found = list(events)
        except ApiException as error:
            assert error.status == 410 and error.reason.startswith("Expired: too old resource version: 1 ("), error
        else:
            raise AssertionError(f"no 410 but {found}")


def initial_events(namespace):
    core = client.CoreV1Api()
    core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=Meta(name="initial", labels={"name": "initial"})))
    _, events = watched(
        namespace,
        "initial",
        send_initial_events=True,
        resource_version_match="NotOlderThan",
        allow_watch_bookmarks=True,
        timeout_seconds=1,
    )
    found = [(event["type"], event["raw_object"]["metadata"].get("annotations")) for event in events]
    assert found[:2] == [("ADDED", None), ("BOOKMARK", {"k8s.io/initial-events-end": "true"})], found


def informer(namespace):
    core = client.CoreV1Api()
    core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=Meta(name="informed", labels={"name": "informed"})))
    seen, listed, done = [], threading.Event(), threading.Event()
    shared = SharedInformer(core.list_namespaced_config_map, namespace=namespace, label_selector="name=informed")

    def handler(kind):
        def handle(item):
            seen.append((kind, item if kind == "ERROR" else item.data))
            if kind != "MODIFIED":
                (listed if kind == "ADDED" else done).set()

        return handle

    for kind in ("ADDED", "MODIFIED", "DELETED", "ERROR"):
        shared.add_event_handler(kind, handler(kind))
    shared.start()
    assert listed.wait(20), seen
    core.patch_namespaced_config_map("informed", namespace, {"data": {"k": "v"}})
    core.delete_namespaced_config_map("informed", namespace)
    assert done.wait(20), seen
    assert seen == [("ADDED", None), ("MODIFIED", {"k": "v"}), ("DELETED", {"k": "v"})], seen
    assert shared.cache.list() == []
    shared.stop()


CHECKS = {
    "live": live,
    "resumed from a version": resumed,
    "followed without a timeout": reconnected,
    "expired": expired,
    "initial events and their bookmark": initial_events,
    "an informer": informer,
}
