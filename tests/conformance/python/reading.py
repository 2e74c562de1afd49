"""Lists: pages of one snapshot, selectors, and what is too old."""

from kubernetes import client

from refusals import refused

Meta = client.V1ObjectMeta


def fill(namespace, prefix, count):
    core = client.CoreV1Api()
    for i in range(count):
        labels = {"set": prefix, "parity": "odd" if i % 2 else "even"}
        core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=Meta(name=f"{prefix}-{i:02}", labels=labels)))
    return core


def pages(namespace):
    core = fill(namespace, "page", 25)
    names, versions, remaining, token = [], set(), [], None
    while token is None or token != "":
        extra = {"_continue": token} if token else {}
        page = core.list_namespaced_config_map(namespace, limit=10, label_selector="set=page", **extra)
        names += [item.metadata.name for item in page.items]
        versions.add(page.metadata.resource_version)
        token = page.metadata._continue or ""
        # Written between two pages: not part of the snapshot.
        core.patch_namespaced_config_map("page-24", namespace, {"data": {"seen": str(len(names))}})
    assert names == [f"page-{i:02}" for i in range(25)], names
    assert len(versions) == 1, versions


def remaining(namespace):
    node = {"spec": {}}
    core = client.CoreV1Api()
    for i in range(3):
        core.create_node({"metadata": {"name": f"node-{i}"}, **node})
    page = core.list_node(limit=1)
    assert (page.metadata.remaining_item_count, len(page.items)) == (2, 1), page.metadata
    rest = core.list_node(_continue=page.metadata._continue)
    assert (rest.metadata.remaining_item_count, rest.metadata._continue, len(rest.items)) == (None, None, 2)


def selectors(namespace):
    core = fill(namespace, "chosen", 6)

    def count(**options):
        return len(core.list_namespaced_config_map(namespace, **options).items)

    assert count(label_selector="set=chosen,parity in (odd,none)") == 3
    assert count(label_selector="set=chosen,parity!=odd") == 3
    assert count(label_selector="set in (chosen),!parity") == 0
    assert count(field_selector="metadata.name=chosen-03") == 1
    assert count(field_selector="metadata.name!=chosen-03", label_selector="set=chosen") == 5
    with refused(400, "BadRequest", "unable to parse requirement"):
        count(label_selector="a in b")
    with refused(400, "BadRequest", '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'):
        count(field_selector="spec.x=1")


def versions(namespace):
    core = fill(namespace, "old", 2)
    then = core.list_namespaced_config_map(namespace, label_selector="set=old").metadata.resource_version
    core.delete_namespaced_config_map("old-00", namespace)

    def names(**options):
        return [item.metadata.name for item in core.list_namespaced_config_map(namespace, label_selector="set=old", **options).items]

    assert names(resource_version=then, resource_version_match="Exact") == ["old-00", "old-01"]
    assert names(resource_version=then, resource_version_match="NotOlderThan") == ["old-01"]
    assert names(resource_version="0") == ["old-01"]
    with refused(410, "Expired", "The resourceVersion for the provided list is too old."):
        names(resource_version="1", resource_version_match="Exact")
    with refused(422, "Invalid", "resourceVersionMatch"):
        names(resource_version_match="Exact")


def collection(namespace):
    core = fill(namespace, "doomed", 4)
    core.delete_collection_namespaced_config_map(namespace, label_selector="set=doomed,parity=odd")
    left = core.list_config_map_for_all_namespaces(label_selector="set=doomed").items
    assert [item.metadata.name for item in left] == ["doomed-00", "doomed-02"]


CHECKS = {
    "pages are one snapshot": pages,
    "pages have remainingItemCount": remaining,
    "selectors": selectors,
    "old versions": versions,
    "a collection is deleted": collection,
}
