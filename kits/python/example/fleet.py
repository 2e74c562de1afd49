"""An operator on kopf: for each Fleet it keeps a ConfigMap with the names of its ships, and reports how many there are."""

import kopf
from kubernetes import client, config

GROUP, VERSION, PLURAL = "example.com", "v1", "fleets"

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "singular": "fleet", "kind": "Fleet"},
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["ships"],
                                "properties": {
                                    "ships": {"type": "integer", "minimum": 0},
                                    "prefix": {"type": "string", "default": "ship"},
                                },
                            },
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}


def ship_names(spec):
    return [f"{spec['prefix']}-{number}" for number in range(1, spec["ships"] + 1)]


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False
    settings.persistence.finalizer = f"{GROUP}/finalizer"


@kopf.on.create(GROUP, VERSION, PLURAL)
@kopf.on.update(GROUP, VERSION, PLURAL, field="spec")
def reconcile(spec, name, namespace, body, patch, **_):
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": {"ships": "\n".join(ship_names(spec))},
    }
    kopf.adopt(config_map, owner=body)
    with config.new_client_from_config() as api:
        client.CoreV1Api(api).patch_namespaced_config_map(
            name, namespace, config_map, field_manager="fleet", force=True, _content_type="application/apply-patch+yaml"
        )
    patch.status["ships"] = spec["ships"]
