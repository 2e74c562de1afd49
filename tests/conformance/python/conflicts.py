"""Optimistic concurrency: a write of what another client has changed since is rejected, and succeeds after another read."""

from concurrent.futures import ThreadPoolExecutor

from kubernetes import client
from kubernetes.utils.retry import Backoff, retry_on_conflict

from refusals import refused

Meta = client.V1ObjectMeta


def config_map(name, **data):
    return client.V1ConfigMap(metadata=Meta(name=name), data=data)


def stale_replace(namespace):
    core = client.CoreV1Api()
    old = core.create_namespaced_config_map(namespace, config_map("raced", n="0"))
    new = core.patch_namespaced_config_map("raced", namespace, {"data": {"n": "1"}})
    assert new.metadata.resource_version != old.metadata.resource_version
    with refused(409, "Conflict") as status:
        core.replace_namespaced_config_map("raced", namespace, old)
    assert status["message"] == (
        'Operation cannot be fulfilled on configmaps "raced": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    assert (status["details"]["name"], status["details"]["kind"]) == ("raced", "configmaps")
    old.metadata.resource_version = None
    assert core.replace_namespaced_config_map("raced", namespace, old).data == {"n": "0"}


def stale_patch(namespace):
    core = client.CoreV1Api()
    old = core.create_namespaced_config_map(namespace, config_map("patched", n="0"))
    core.patch_namespaced_config_map("patched", namespace, {"data": {"n": "1"}})
    with refused(409, "Conflict", "the object has been modified"):
        core.patch_namespaced_config_map(
            "patched", namespace, {"metadata": {"resourceVersion": old.metadata.resource_version}, "data": {"n": "2"}}
        )


def preconditions(namespace):
    core = client.CoreV1Api()
    old = core.create_namespaced_config_map(namespace, config_map("guarded", n="0"))
    new = core.patch_namespaced_config_map("guarded", namespace, {"data": {"n": "1"}})

    def delete(**conditions):
        options = client.V1DeleteOptions(preconditions=client.V1Preconditions(**conditions))
        return core.delete_namespaced_config_map("guarded", namespace, body=options)

    with refused(409, "Conflict", "the UID in the precondition (other) does not match the UID in record"):
        delete(uid="other")
    with refused(409, "Conflict", "the ResourceVersion in the precondition"):
        delete(resource_version=old.metadata.resource_version)
    status = delete(uid=new.metadata.uid, resource_version=new.metadata.resource_version)
    assert (status["status"], status["details"]["name"], status["details"]["uid"]) == ("Success", "guarded", new.metadata.uid)


def unchanged(namespace):
    core = client.CoreV1Api()
    created = core.create_namespaced_config_map(namespace, config_map("same", n="0"))
    again = core.replace_namespaced_config_map("same", namespace, created)
    assert again.metadata.resource_version == created.metadata.resource_version


def counter(namespace):
    core = client.CoreV1Api()
    core.create_namespaced_config_map(namespace, config_map("counter", n="0"))
    backoff = Backoff(steps=500, duration=0.001, factor=1.0, jitter=1.0)

    def increment():
        found = core.read_namespaced_config_map("counter", namespace)
        found.data["n"] = str(int(found.data["n"]) + 1)
        core.replace_namespaced_config_map("counter", namespace, found)

    with ThreadPoolExecutor(5) as pool:
        for done in [pool.submit(retry_on_conflict, increment, backoff) for _ in range(50)]:
            done.result()
    assert core.read_namespaced_config_map("counter", namespace).data == {"n": "50"}


def exists(namespace):
    core = client.CoreV1Api()
    core.create_namespaced_config_map(namespace, config_map("twice"))
    with refused(409, "AlreadyExists", 'configmaps "twice" already exists'):
        core.create_namespaced_config_map(namespace, config_map("twice"))
    with refused(404, "NotFound", 'configmaps "absent" not found'):
        core.replace_namespaced_config_map("absent", namespace, config_map("absent"))


def dry_run(namespace):
    core = client.CoreV1Api()
    assert core.create_namespaced_config_map(namespace, config_map("dry", n="0"), dry_run="All").metadata.uid
    with refused(404, "NotFound"):
        core.read_namespaced_config_map("dry", namespace)
    core.create_namespaced_config_map(namespace, config_map("strict"))
    with refused(422, "Invalid", 'strict decoding error: unknown field "nonsense"'):
        core.patch_namespaced_config_map("strict", namespace, {"nonsense": 1}, field_validation="Strict")


CHECKS = {
    "a stale replace is refused": stale_replace,
    "a stale patch is refused": stale_patch,
    "deletion has preconditions": preconditions,
    "an unchanged replace writes nothing": unchanged,
    "retries on conflict count exactly": counter,
    "creating twice": exists,
    "dry runs and strict fields": dry_run,
}
