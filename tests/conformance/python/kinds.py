"""Files of many kinds: every created object fits into the client's model of it, with nothing lost."""

import os
from datetime import datetime

import yaml
from kubernetes import client, utils

HERE = os.path.dirname(__file__)
SHOP = os.path.join(HERE, "..", "kubectl", "manifest.yaml")
REST = os.path.join(HERE, "manifest.yaml")


def comparable(value):
    """JSON with times as instants, which the models write in another notation, and without the nulls that they drop."""
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, str) and len(value) > 19 and value[10] == "T":
        try:
            return datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
        except ValueError:
            return value
    return value


def settled(state):
    """Leaves out what the server itself goes on to write after the creation: a definition is accepted and established, of a
    flow schema it says whether its priority level is there, of an API service whether it is available."""
    if state["kind"] in ("CustomResourceDefinition", "FlowSchema", "APIService"):
        state.pop("status", None)
        del state["metadata"]["resourceVersion"], state["metadata"]["managedFields"]


def path_of(api_version, plural, meta):
    root = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
    inside = f"/namespaces/{meta['namespace']}" if "namespace" in meta else ""
    return f"{root}{inside}/{plural}/{meta['name']}"


def plurals(api):
    """(apiVersion, kind) → plural, by discovery."""
    found = {}
    groups = client.ApisApi().get_api_versions().groups
    for version in ["api/v1"] + [f"apis/{version.group_version}" for group in groups for version in group.versions]:
        for resource in raw(api, f"/{version}")["resources"]:
            if "/" not in resource["name"]:
                found[version.partition("/")[2], resource["kind"]] = resource["name"]
    return found


def raw(api, path):
    request = api.param_serialize("GET", path, header_params={"Accept": "application/json"}, auth_settings=["BearerToken"])
    return api.call_api(*request).response.json()


def created_from(file):
    def check(namespace):
        api = client.ApiClient()
        names = plurals(api)
        with open(file) as text:
            wanted = [(document["apiVersion"], document["kind"]) for document in yaml.safe_load_all(text)]
        created = [made for [made] in utils.create_from_yaml(api, file, namespace=namespace)]
        assert [(made.api_version, made.kind) for made in created] == wanted
        for made in created:
            assert type(made).__name__.endswith(made.kind), type(made)
            sent = api.sanitize_for_serialization(made)
            answer = raw(api, path_of(made.api_version, names[made.api_version, made.kind], sent["metadata"]))
            for state in (sent, answer):
                settled(state)
            assert comparable(sent) == comparable(answer), f"{made.kind}: {sent} is not {answer}"

    return check


CHECKS = {
    "a shop of 23 kinds": created_from(SHOP),
    "the kinds that no shop needs": created_from(REST),
}
