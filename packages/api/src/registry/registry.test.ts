import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinResources, createResourceRegistry, type ResourceDefinition } from "@coxswain/api";
import { compareVersions } from "./version-order.ts";

const builtin = (group: string, version: string, resource: string): ResourceDefinition => {
  const definition = createResourceRegistry().find(group, version, resource);
  assert.ok(definition, `${group}/${version} ${resource}`);
  return definition;
};

test("every built-in resource has the type of its kind", () => {
  for (const { group, version, kind, type, strategy } of builtinResources()) {
    assert.equal(type.shortName, kind, `${group}/${version} ${kind}`);
    assert.equal(strategy.type, type.name);
  }
});

const places = [
  { group: "", version: "v1", resource: "pods", prefix: "/registry/pods/" },
  { group: "", version: "v1", resource: "nodes", prefix: "/registry/minions/" },
  { group: "", version: "v1", resource: "services", prefix: "/registry/services/specs/" },
  { group: "", version: "v1", resource: "endpoints", prefix: "/registry/services/endpoints/" },
  { group: "", version: "v1", resource: "replicationcontrollers", prefix: "/registry/controllers/" },
  { group: "", version: "v1", resource: "events", prefix: "/registry/events/" },
  { group: "events.k8s.io", version: "v1", resource: "events", prefix: "/registry/events/" },
  { group: "apps", version: "v1", resource: "deployments", prefix: "/registry/deployments/" },
  { group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers", prefix: "/registry/horizontalpodautoscalers/" },
  { group: "networking.k8s.io", version: "v1", resource: "ingresses", prefix: "/registry/ingress/" },
  {
    group: "apiextensions.k8s.io",
    version: "v1",
    resource: "customresourcedefinitions",
    prefix: "/registry/apiextensions.k8s.io/customresourcedefinitions/",
  },
  { group: "", version: "v1", resource: "bindings", prefix: undefined },
  { group: "", version: "v1", resource: "componentstatuses", prefix: undefined },
  { group: "authorization.k8s.io", version: "v1", resource: "subjectaccessreviews", prefix: undefined },
];
for (const { group, version, resource, prefix } of places) {
  test(`${group}/${version} ${resource} is stored under ${prefix ?? "nothing"}`, () => {
    assert.equal(builtin(group, version, resource).storagePrefix, prefix);
  });
}

const forms = [
  { of: ["events.k8s.io", "v1", "events"], storedAs: ["", "v1", "events"] },
  { of: ["autoscaling", "v1", "horizontalpodautoscalers"], storedAs: ["autoscaling", "v2", "horizontalpodautoscalers"] },
  { of: ["apps", "v1", "deployments"], storedAs: ["apps", "v1", "deployments"] },
] satisfies { of: [string, string, string]; storedAs: [string, string, string] }[];
for (const { of, storedAs } of forms) {
  test(`${of.join(" ")} is stored as ${storedAs.join(" ")}`, () => {
    const registry = createResourceRegistry();
    const definition = registry.find(...of);
    assert.ok(definition);
    assert.equal(registry.storage(definition), registry.find(...storedAs));
  });
}

test("groups come in Kubernetes' order, those of custom resources last and by name", () => {
  const registry = createResourceRegistry();
  const like = builtin("apps", "v1", "deployments");
  registry.set({ ...like, group: "zoo.example.com" });
  registry.set({ ...like, group: "boats.example.com" });
  const groups = registry.groups();
  assert.deepEqual(groups.slice(0, 4), ["", "apiregistration.k8s.io", "apps", "events.k8s.io"]);
  assert.deepEqual(groups.slice(-3), ["flowcontrol.apiserver.k8s.io", "boats.example.com", "zoo.example.com"]);
});

test("every change of the registry raises its version, and nothing else does", () => {
  const registry = createResourceRegistry();
  const before = registry.version;
  registry.set({ ...builtin("apps", "v1", "deployments"), group: "boats.example.com" });
  const added = registry.version;
  assert.equal(registry.remove("boats.example.com", "v1", "deployments"), true);
  const removed = registry.version;
  assert.equal(registry.remove("boats.example.com", "v1", "deployments"), false);
  assert.ok(before < added && added < removed);
  assert.equal(registry.version, removed);
  assert.equal(registry.groups().includes("boats.example.com"), false);
});

test("kinds and preferred versions are found", () => {
  const registry = createResourceRegistry();
  assert.equal(registry.byKind("apps", "v1", "Deployment")?.resource, "deployments");
  assert.equal(registry.byKind("apps", "v1", "Pod"), undefined);
  assert.equal(registry.preferred("autoscaling", "horizontalpodautoscalers")?.version, "v2");
  assert.deepEqual(registry.versions("autoscaling"), ["v2", "v1"]);
});

test("versions are preferred by stability, then by number", () => {
  const preferred = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10", "v"];
  assert.deepEqual(preferred.toReversed().toSorted(compareVersions), preferred);
});
