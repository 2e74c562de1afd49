"""Typed calls: what the generated models send is taken, and what comes back fits into them."""

from datetime import datetime, timedelta, timezone

from kubernetes import client

from refusals import refused

Meta = client.V1ObjectMeta


def pod_template(app):
    container = client.V1Container(
        name="main",
        image="registry.example.org/shop/web:1.2",
        ports=[client.V1ContainerPort(container_port=80)],
        resources=client.V1ResourceRequirements(requests={"cpu": "250m", "memory": "64Mi"}),
    )
    return client.V1PodTemplateSpec(metadata=Meta(labels={"app": app}), spec=client.V1PodSpec(containers=[container]))


def deployment(namespace):
    apps = client.AppsV1Api()
    selector = client.V1LabelSelector(match_labels={"app": "web"})
    spec = client.V1DeploymentSpec(replicas=3, selector=selector, template=pod_template("web"))
    created = apps.create_namespaced_deployment(namespace, client.V1Deployment(metadata=Meta(name="web"), spec=spec))
    assert created.metadata.uid and created.metadata.generation == 1
    assert abs(created.metadata.creation_timestamp - datetime.now(timezone.utc)) < timedelta(minutes=1)
    assert (created.spec.strategy.type, created.spec.strategy.rolling_update.max_surge) == ("RollingUpdate", "25%")
    assert created.spec.template.spec.containers[0].ports[0].protocol == "TCP"
    assert apps.read_namespaced_deployment("web", namespace).to_dict() == created.to_dict()
    created.spec.replicas = 5
    replaced = apps.replace_namespaced_deployment("web", namespace, created)
    assert (replaced.spec.replicas, replaced.metadata.generation) == (5, 2)
    replaced.status = client.V1DeploymentStatus(observed_generation=2, replicas=5, ready_replicas=4)
    status = apps.replace_namespaced_deployment_status("web", namespace, replaced)
    assert (status.status.ready_replicas, status.metadata.generation) == (4, 2)


def scale(namespace):
    apps = client.AppsV1Api()
    selector = client.V1LabelSelector(match_labels={"app": "scaled"})
    spec = client.V1StatefulSetSpec(service_name="scaled", selector=selector, template=pod_template("scaled"))
    apps.create_namespaced_stateful_set(namespace, client.V1StatefulSet(metadata=Meta(name="scaled"), spec=spec))
    found = apps.read_namespaced_stateful_set_scale("scaled", namespace)
    assert (found.kind, found.spec.replicas, found.status.selector) == ("Scale", 1, "app=scaled")
    found.spec.replicas = 4
    assert apps.replace_namespaced_stateful_set_scale("scaled", namespace, found).spec.replicas == 4
    with refused(409, "Conflict", "the object has been modified"):
        apps.replace_namespaced_stateful_set_scale("scaled", namespace, found)
    # Kubernetes leaves a zero out of a Scale.
    assert apps.patch_namespaced_stateful_set_scale("scaled", namespace, {"spec": {"replicas": 0}}).spec.replicas is None


def jobs(namespace):
    batch = client.BatchV1Api()
    template = client.V1PodTemplateSpec(
        spec=client.V1PodSpec(restart_policy="Never", containers=[client.V1Container(name="main", image="job:1")])
    )
    body = client.V1Job(metadata=Meta(generate_name="job-"), spec=client.V1JobSpec(template=template))
    job = batch.create_namespaced_job(namespace, body)
    assert job.metadata.name.startswith("job-") and len(job.metadata.name) == 9
    assert (job.spec.backoff_limit, job.spec.completion_mode, job.spec.suspend) == (6, "NonIndexed", False)
    assert job.spec.selector.match_labels == {"batch.kubernetes.io/controller-uid": job.metadata.uid}
    cron = client.V1CronJobSpec(schedule="*/5 * * * *", job_template=client.V1JobTemplateSpec(spec=client.V1JobSpec(template=template)))
    created = batch.create_namespaced_cron_job(namespace, client.V1CronJob(metadata=Meta(name="cron"), spec=cron))
    assert (created.spec.concurrency_policy, created.spec.successful_jobs_history_limit) == ("Allow", 3)
    with refused(422, "Invalid", "spec.template: Invalid value"):
        batch.patch_namespaced_job(job.metadata.name, namespace, {"spec": {"template": {"spec": {"restartPolicy": "OnFailure"}}}})


def lease(namespace):
    coordination = client.CoordinationV1Api()
    now = datetime(2026, 1, 2, 3, 4, 5, 6, timezone.utc)
    spec = client.V1LeaseSpec(holder_identity="me", lease_duration_seconds=15, acquire_time=now, renew_time=now)
    coordination.create_namespaced_lease(namespace, client.V1Lease(metadata=Meta(name="lease"), spec=spec))
    found = coordination.read_namespaced_lease("lease", namespace)
    assert (found.spec.renew_time, found.spec.holder_identity) == (now, "me")
    found.metadata.resource_version = None
    with refused(422, "Invalid", "must be specified for an update"):
        coordination.replace_namespaced_lease("lease", namespace, found)


def rbac(namespace):
    api = client.RbacAuthorizationV1Api()
    rule = client.V1PolicyRule(api_groups=[""], resources=["pods"], verbs=["get", "list"])
    api.create_namespaced_role(namespace, client.V1Role(metadata=Meta(name="reader"), rules=[rule]))
    ref = client.V1RoleRef(api_group="rbac.authorization.k8s.io", kind="Role", name="reader")
    subject = client.RbacV1Subject(kind="User", name="jane", api_group="rbac.authorization.k8s.io")
    binding = client.V1RoleBinding(metadata=Meta(name="reader"), role_ref=ref, subjects=[subject])
    created = api.create_namespaced_role_binding(namespace, binding)
    created.role_ref.name = "writer"
    with refused(422, "Invalid", "cannot change roleRef"):
        api.replace_namespaced_role_binding("reader", namespace, created)
    # A role that is replaced before it exists is created.
    assert api.replace_namespaced_role("late", namespace, client.V1Role(metadata=Meta(name="late"), rules=[rule])).metadata.uid


def service(namespace):
    core = client.CoreV1Api()
    ports = [client.V1ServicePort(name="a", port=80, target_port="http"), client.V1ServicePort(name="b", port=81, target_port=8081)]
    spec = client.V1ServiceSpec(selector={"app": "web"}, ports=ports)
    created = core.create_namespaced_service(namespace, client.V1Service(metadata=Meta(name="web"), spec=spec))
    assert created.spec.cluster_ip == created.spec.cluster_ips[0]
    assert [port.target_port for port in created.spec.ports] == ["http", 8081]
    assert core.delete_namespaced_service("web", namespace).metadata.uid == created.metadata.uid


def secret(namespace):
    core = client.CoreV1Api()
    body = client.V1Secret(metadata=Meta(name="keys"), string_data={"a": "grün"}, data={"b": "AAEC"})
    assert core.create_namespaced_secret(namespace, body).data == {"a": "Z3LDvG4=", "b": "AAEC"}
    found = core.read_namespaced_secret("keys", namespace)
    assert (found.type, found.string_data, found.immutable) == ("Opaque", None, None)


def pod(namespace):
    core = client.CoreV1Api()
    spec = client.V1PodSpec(containers=[client.V1Container(name="main", image="main:1")])
    created = core.create_namespaced_pod(namespace, client.V1Pod(metadata=Meta(name="bound"), spec=spec))
    assert (created.status.phase, created.status.qos_class, created.spec.restart_policy) == ("Pending", "BestEffort", "Always")
    target = client.V1ObjectReference(kind="Node", name="node-1")
    binding = client.V1Binding(metadata=Meta(name="bound"), target=target)
    # The answer is a Status, which the client's model of a Binding cannot hold.
    core.create_namespaced_pod_binding("bound", namespace, binding, _preload_content=False)
    assert core.read_namespaced_pod("bound", namespace).spec.node_name == "node-1"
    deleted = core.delete_namespaced_pod("bound", namespace, grace_period_seconds=5)
    assert deleted.metadata.deletion_grace_period_seconds == 5
    marked = int(deleted.metadata.resource_version)
    gone = core.delete_namespaced_pod("bound", namespace, body=client.V1DeleteOptions(grace_period_seconds=0))
    assert gone.metadata.name == "bound"
    # The answer has the version of the deletion, so that a watch from there goes on behind it.
    assert int(gone.metadata.resource_version) > marked + 1, gone.metadata
    with refused(400, "BadRequest", 'invalid resource version: resourceVersion: Invalid value: "abc"'):
        core.list_namespaced_pod(namespace, resource_version="abc")
    assert len(core.list_namespaced_pod(namespace, resource_version="0", limit=1).items) == len(core.list_namespaced_pod(namespace).items)
    with refused(404, "NotFound", 'pods "bound" not found'):
        core.read_namespaced_pod("bound", namespace)


def server(namespace):
    version = client.VersionApi().get_code()
    assert (version.major, version.minor) == ("1", "36"), version
    groups = {group.name: group.preferred_version.version for group in client.ApisApi().get_api_versions().groups}
    assert groups["apps"] == "v1" and groups["autoscaling"] == "v2", groups
    resources = {resource.name: resource for resource in client.AppsV1Api().get_api_resources().resources}
    assert resources["deployments"].short_names == ["deploy"] and "deployments/scale" in resources
    attributes = client.V1ResourceAttributes(verb="create", resource="pods", namespace=namespace)
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))
    assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed is True


CHECKS = {
    "a deployment goes round": deployment,
    "scale": scale,
    "jobs and cron jobs": jobs,
    "leases keep microseconds": lease,
    "roles and bindings": rbac,
    "services": service,
    "secrets": secret,
    "pods are bound and deleted": pod,
    "version, discovery and access reviews": server,
}
