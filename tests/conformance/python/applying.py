"""Server-side apply: every field has its managers, and none changes another's by accident."""

from kubernetes import client

from refusals import refused
from untyped import connect

APPLY = "application/apply-patch+yaml"


def container(**fields):
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", **fields}]}}}}


def wanted(name, **spec):
    """What the manager "owner" applies: two labels, and a container with a port."""
    labels = {"app": name}
    pod = {"containers": [{"name": "main", "image": "main:1", "ports": [{"containerPort": 80}]}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    return {"metadata": {"labels": labels | {"tier": "web"}}, "spec": {"selector": {"matchLabels": labels}, "template": template} | spec}


def deployments(namespace, name):
    """Applies to the deployment of that name, as some manager."""
    apps = client.AppsV1Api()

    def apply(manager, change, call=apps.patch_namespaced_deployment, **options):
        body = {"apiVersion": "apps/v1", "kind": "Deployment"} | change
        body["metadata"] = {"name": name} | change.get("metadata", {})
        return call(name, namespace, body, _content_type=APPLY, field_manager=manager, **options)

    return apps, apply


def owned(deployment):
    """Who manages what: the fields by manager, operation and subresource."""
    entries = deployment.metadata.managed_fields
    assert all(entry.fields_type == "FieldsV1" and entry.api_version == "apps/v1" and entry.time for entry in entries), entries
    return {(entry.manager, entry.operation, entry.subresource): entry.fields_v1 for entry in entries}


def conflicts(status):
    return [(cause["reason"], cause["field"], cause["message"]) for cause in status["details"]["causes"]]


def created(namespace):
    apps, apply = deployments(namespace, "created")
    made = apply("owner", wanted("created", replicas=2))
    assert (made.metadata.generation, made.spec.replicas, made.spec.revision_history_limit) == (1, 2, 10)
    assert made.spec.template.spec.containers[0].ports[0].protocol == "TCP"
    assert apps.read_namespaced_deployment("created", namespace).to_dict() == made.to_dict()
    # A port is known by its number and protocol, though the protocol was not given. What was only defaulted has no manager.
    port = {".": {}, "f:containerPort": {}}
    main = {".": {}, "f:name": {}, "f:image": {}, "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': port}}
    template = {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:containers": {'k:{"name":"main"}': main}}}
    fields = {"f:metadata": {"f:labels": {"f:app": {}, "f:tier": {}}}, "f:spec": {"f:replicas": {}, "f:selector": {}, "f:template": template}}
    assert owned(made) == {("owner", "Apply", None): fields}, owned(made)


def unchanged(namespace):
    _, apply = deployments(namespace, "same")
    first = apply("owner", wanted("same"))
    assert apply("owner", wanted("same")).to_dict() == first.to_dict()
    tried = apply("owner", wanted("same", replicas=5), dry_run="All")
    assert (tried.spec.replicas, apply("owner", wanted("same")).metadata.resource_version) == (5, first.metadata.resource_version)


def conflicting(namespace):
    apps, apply = deployments(namespace, "disputed")
    first = apply("owner", wanted("disputed", replicas=2))
    with refused(409, "Conflict") as status:
        apply("other", {"spec": {"replicas": 3, "minReadySeconds": 7}} | {"metadata": {"labels": {"tier": "shop"}}})
    assert status["message"] == 'Apply failed with 2 conflicts: conflicts with "owner":\n- .metadata.labels.tier\n- .spec.replicas', status
    cause = 'conflict with "owner"'
    assert conflicts(status) == [
        ("FieldManagerConflict", ".metadata.labels.tier", cause),
        ("FieldManagerConflict", ".spec.replicas", cause),
    ], status
    # Nothing of it was written.
    assert apps.read_namespaced_deployment("disputed", namespace).to_dict() == first.to_dict()
    apps.patch_namespaced_deployment("disputed", namespace, container(image="main:2"), field_manager="patcher")
    with refused(409, "Conflict") as status:
        apply("owner", wanted("disputed", replicas=2))
    ((reason, field, message),) = conflicts(status)
    assert (reason, field) == ("FieldManagerConflict", '.spec.template.spec.containers[name="main"].image')
    assert message.startswith('conflict with "patcher" using apps/v1'), message


def forced(namespace):
    apps, apply = deployments(namespace, "forced")
    apply("owner", wanted("forced", replicas=2))
    taken = apply("other", {"spec": {"replicas": 3}}, force=True)
    assert (taken.spec.replicas, owned(taken)["other", "Apply", None]) == (3, {"f:spec": {"f:replicas": {}}})
    assert "f:replicas" not in owned(taken)["owner", "Apply", None]["f:spec"]
    with refused(409, "Conflict", 'conflict with "other": .spec.replicas'):
        apply("owner", wanted("forced", replicas=2))
    # Who wants the same shares the field, and then neither changes it alone.
    shared = apply("owner", wanted("forced", replicas=3))
    assert [fields["f:spec"]["f:replicas"] for fields in owned(shared).values()] == [{}, {}]
    with refused(409, "Conflict", 'conflict with "owner": .spec.replicas'):
        apply("other", {"spec": {"replicas": 4}})


def given_up(namespace):
    apps, apply = deployments(namespace, "given-up")
    apply("owner", wanted("given-up", replicas=2))
    both = apply("other", container(env=[{"name": "A", "value": "1"}]) | {"metadata": {"annotations": {"note": "mine"}}})
    assert (both.metadata.annotations["note"], both.spec.template.spec.containers[0].env[0].name) == ("mine", "A")
    # Its own are gone, another's stay.
    left = apply("other", {})
    assert "note" not in (left.metadata.annotations or {}) and left.spec.template.spec.containers[0].env is None
    assert (left.spec.template.spec.containers[0].image, left.spec.replicas) == ("main:1", 2)
    assert list(owned(left)) == [("owner", "Apply", None)]
    # What has a default gets it back.
    without = wanted("given-up")
    del without["metadata"]["labels"]["tier"]
    left = apply("owner", without)
    assert (left.spec.replicas, left.metadata.labels) == (1, {"app": "given-up"})


def status(namespace):
    apps, apply = deployments(namespace, "observed")
    apply("owner", wanted("observed", replicas=2))
    report = {"status": {"readyReplicas": 1, "replicas": 2, "conditions": [{"type": "Available", "status": "False"}]}}
    seen = apply("observer", {"spec": {"replicas": 9}} | report, call=apps.patch_namespaced_deployment_status)
    assert (seen.status.ready_replicas, seen.spec.replicas, seen.metadata.generation) == (1, 2, 1)
    condition = {".": {}, "f:type": {}, "f:status": {}}
    fields = {"f:readyReplicas": {}, "f:replicas": {}, "f:conditions": {'k:{"type":"Available"}': condition}}
    assert owned(seen)["observer", "Apply", "status"] == {"f:status": fields}, owned(seen)
    assert set(owned(seen)) == {("owner", "Apply", None), ("observer", "Apply", "status")}
    with refused(409, "Conflict", 'conflict with "observer" with subresource "status": .status.readyReplicas') as answer:
        apply("meddler", {"status": {"readyReplicas": 2}}, call=apps.patch_namespaced_deployment_status)
    assert conflicts(answer)[0][1] == ".status.readyReplicas"
    assert apply("observer", {}, call=apps.patch_namespaced_deployment_status).status.conditions is None


def wrong(namespace):
    _, apply = deployments(namespace, "wrong")
    with refused(422, "Invalid", 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value'):
        apply(None, wanted("wrong"))
    with refused(409, "Conflict"):
        apply("owner", wanted("wrong") | {"metadata": {"uid": "7"}})
    with refused(400, "BadRequest"):
        apply("owner", wanted("wrong") | {"kind": "DaemonSet"})
    with refused(422, "Invalid", "spec.replicas: Invalid value: -1"):
        apply("owner", wanted("wrong", replicas=-1))


def untyped(namespace):
    maps = connect().resources.get(api_version="v1", kind="ConfigMap")

    def apply(manager, data, **options):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "loose"}, "data": data}
        return maps.server_side_apply(body=body, namespace=namespace, field_manager=manager, **options)

    first = apply("one", {"a": "1", "b": "1"})
    assert apply("one", {"a": "1", "b": "1"}).metadata.resourceVersion == first.metadata.resourceVersion
    with refused(409, "Conflict", 'Apply failed with 1 conflict: conflict with "one": .data.a'):
        apply("two", {"a": "2"})
    assert apply("two", {"a": "2"}, force_conflicts=True).data.to_dict() == {"a": "2", "b": "1"}
    left = apply("one", {"c": "1"})
    assert left.data.to_dict() == {"a": "2", "c": "1"}
    fields = {entry.manager: entry.fieldsV1.to_dict() for entry in left.metadata.managedFields}
    assert fields == {"one": {"f:data": {"f:c": {}}}, "two": {"f:data": {"f:a": {}}}}, fields


CHECKS = {
    "creates": created,
    "again writes nothing": unchanged,
    "conflicts with another's value": conflicting,
    "by force takes over": forced,
    "gives up what it no longer says": given_up,
    "to the status": status,
    "refuses what is wrong": wrong,
    "with the dynamic client": untyped,
}
