import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import type { Strategy } from "../../strategy/strategy.ts";
import { podTemplate } from "../core/pod-template/strategy.ts";
import { replicationController } from "../core/replication-controller/strategy.ts";
import { createdAs, statusUpdatedAs, updatedAs } from "../kind-under-test.ts";
import { controllerRevision } from "./controller-revision/strategy.ts";
import { daemonSet } from "./daemon-set/strategy.ts";
import { deployment } from "./deployment/strategy.ts";
import { replicaSet } from "./replica-set/strategy.ts";
import { statefulSet } from "./stateful-set/strategy.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
const bodyOf = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: "web", ...metadata },
  spec: { selector: { matchLabels: { app: "web" } }, template, ...spec },
});
const noMatch = 'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`';
const always = 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"';

interface Case<T extends KubeObject = KubeObject> {
  readonly kind: Strategy<T>;
  readonly name: string;
  readonly spec: object;
  readonly problems: readonly string[];
}

const cases: readonly Case[] = [
  { kind: deployment, name: "a Deployment chooses its own pods", spec: { selector: { matchLabels: { app: "x" } } }, problems: [noMatch] },
  {
    kind: deployment,
    name: "a Deployment's selector is a selector",
    spec: { selector: { matchExpressions: [{ key: "app", operator: "Like", values: ["web"] }] } },
    problems: [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Like","values":["web"]}]}: invalid label selector',
    ],
  },
  {
    kind: deployment,
    name: "a Deployment's numbers make sense",
    spec: {
      progressDeadlineSeconds: 5,
      minReadySeconds: 5,
      revisionHistoryLimit: -1,
      strategy: { rollingUpdate: { maxUnavailable: "200%", maxSurge: "some" } },
    },
    problems: [
      "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"some\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "200%": must not be greater than 100%',
      "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
      "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
    ],
  },
  {
    kind: deployment,
    name: "a Deployment knows two strategies",
    spec: { strategy: { type: "Slow" } },
    problems: ['spec.strategy: Unsupported value: {"Type":"Slow","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"'],
  },
  {
    kind: replicaSet,
    name: "a ReplicaSet's pods never end",
    spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never", activeDeadlineSeconds: 1 } } },
    problems: [always, "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported"],
  },
  {
    kind: statefulSet,
    name: "a StatefulSet's service is a host name",
    spec: { serviceName: "a.b", updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } },
    problems: [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
      'spec.serviceName: Invalid value: "a.b": must not contain dots',
    ],
  },
  {
    kind: daemonSet,
    name: "a DaemonSet replaces pods one way or the other",
    spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
    problems: ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
  },
  {
    kind: daemonSet,
    name: "a DaemonSet chooses something",
    spec: { selector: {} },
    problems: ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"],
  },
  {
    kind: replicationController,
    name: "a ReplicationController has a template",
    spec: { template: null, selector: null },
    problems: ["spec.selector: Required value", "spec.template: Required value"],
  },
];
for (const { kind, name, spec, problems } of cases) {
  test(name, () => assert.deepEqual(createdAs(kind, bodyOf(spec)).problems, problems));
}

const fixed = 'Invalid value: {"matchLabels":{"app":"web","b":"c"}}: field is immutable';
test("who chooses pods does not change its mind", () => {
  const labels = { b: "c", app: "web" };
  const to = bodyOf({ selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } });
  assert.deepEqual(updatedAs(deployment, createdAs(deployment, bodyOf()).object, to).problems, [`spec.selector: ${fixed}`]);
  assert.deepEqual(updatedAs(replicaSet, createdAs(replicaSet, bodyOf()).object, to).problems, [`spec.selector: ${fixed}`]);
  assert.deepEqual(updatedAs(daemonSet, createdAs(daemonSet, bodyOf()).object, to).problems, [`spec.selector: ${fixed}`]);
});

test("a StatefulSet keeps what its pods are made of", () => {
  const prev = createdAs(statefulSet, bodyOf()).object;
  assert.deepEqual(updatedAs(statefulSet, prev, bodyOf({ replicas: 3, minReadySeconds: 1 })).problems, []);
  assert.deepEqual(updatedAs(statefulSet, prev, bodyOf({ podManagementPolicy: "Parallel" })).problems, [
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ]);
});

test("a StatefulSet's claims are filled in", () => {
  const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
  const { object, problems } = createdAs(statefulSet, bodyOf({ volumeClaimTemplates: [claim] }));
  assert.deepEqual(problems, []);
  const [made] = object.spec?.volumeClaimTemplates ?? [];
  assert.deepEqual(
    [made?.kind, made?.apiVersion, made?.spec?.volumeMode, made?.status],
    ["PersistentVolumeClaim", "v1", "Filesystem", { phase: "Pending" }],
  );
});

test("a DaemonSet counts its templates in an annotation that clients cannot change", () => {
  const generation = "deprecated.daemonset.template.generation";
  const prev = createdAs(daemonSet, bodyOf()).object;
  const after = (body: object) => updatedAs(daemonSet, prev, body).object.metadata?.annotations?.[generation];
  assert.equal(prev.metadata?.annotations?.[generation], "1");
  assert.equal(after(bodyOf({ minReadySeconds: 1 }, { annotations: { [generation]: "7" } })), "1");
  assert.equal(after(bodyOf({ template: { ...template, spec: { containers: [{ name: "c", image: "nginx:2" }] } } })), "2");
  assert.equal(statusUpdatedAs(daemonSet, prev, prev.status ?? {}).object.metadata?.annotations?.[generation], "1");
});

test("a Deployment's annotations count as a change, its labels do not", () => {
  const prev = createdAs(deployment, bodyOf()).object;
  const changes = (metadata: object) => {
    const { generation } = deployment;
    assert.ok(typeof generation === "function");
    return generation(updatedAs(deployment, prev, bodyOf({}, metadata)).object, prev);
  };
  assert.deepEqual([changes({}), changes({ annotations: { a: "b" } }), changes({ labels: { a: "b" } })], [false, true, false]);
});

const less = (name: string): string => `status.${name}: Invalid value: 0: cannot be greater than status.replicas`;
const negative = "status.replicas: Invalid value: -1: must be greater than or equal to 0";
const negatives: readonly { readonly kind: Strategy; readonly problems: readonly string[] }[] = [
  { kind: deployment, problems: [negative, less("updatedReplicas"), less("readyReplicas"), less("availableReplicas")] },
  { kind: replicaSet, problems: [negative, less("fullyLabeledReplicas"), less("readyReplicas"), less("availableReplicas")] },
  {
    kind: statefulSet,
    problems: [negative, ...["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"].map(less)],
  },
];
for (const { kind, problems } of negatives)
  test(`only the counts that it has are compared: ${kind.type}`, () => {
    const prev = createdAs(kind, bodyOf()).object;
    assert.deepEqual(statusUpdatedAs(kind, prev, { replicas: -1 }).problems, problems);
  });

test("counts in a status agree", () => {
  const prev = createdAs(deployment, bodyOf()).object;
  assert.deepEqual(
    statusUpdatedAs(deployment, prev, { replicas: 1, readyReplicas: 2, availableReplicas: 3, collisionCount: -1 }).problems,
    [
      "status.collisionCount: Invalid value: -1: must be greater than or equal to 0",
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
    ],
  );
});

test("a ReplicationController takes selector and labels from its template", () => {
  const { object } = createdAs(replicationController, { metadata: { name: "web" }, spec: { template } });
  assert.deepEqual([object.spec?.selector, object.metadata?.labels, object.spec?.replicas], [{ app: "web" }, { app: "web" }, 1]);
});

test("a ControllerRevision is an object and stays what it is", () => {
  const body = { metadata: { name: "r" }, revision: 1, data: { spec: 1 } };
  const { object, problems } = createdAs(controllerRevision, body);
  assert.deepEqual(problems, []);
  assert.deepEqual(createdAs(controllerRevision, { ...body, data: "x" }).problems, [
    "data: Required value: data must be a valid JSON object",
  ]);
  assert.deepEqual(updatedAs(controllerRevision, object, { ...body, data: { spec: 2 } }).problems, [
    'data: Invalid value: {"spec":2}: field is immutable',
  ]);
});

const names = ["c", "nginx:1"];
const tables: readonly { readonly kind: Strategy; readonly object: object; readonly cells: readonly unknown[] }[] = [
  {
    kind: deployment,
    object: { status: { readyReplicas: 1, updatedReplicas: 2 } },
    cells: ["web", "1/1", 2, 0, "<unknown>", ...names, "app=web"],
  },
  { kind: replicaSet, object: { status: { replicas: 1 } }, cells: ["web", 1, 1, 0, "<unknown>", ...names, "app=web"] },
  { kind: statefulSet, object: { status: { readyReplicas: 1 } }, cells: ["web", "1/1", "<unknown>", ...names] },
  {
    kind: daemonSet,
    object: { status: { desiredNumberScheduled: 2 } },
    cells: ["web", 2, 0, 0, 0, 0, "<none>", "<unknown>", ...names, "app=web"],
  },
];
for (const { kind, object, cells } of tables) {
  test(`the row of a ${kind.type.split(".").at(-1)}`, () => {
    assert.deepEqual(kind.columns?.cells({ ...createdAs(kind, bodyOf()).object, ...object }, 0), cells);
  });
}

test("rows of the older kinds", () => {
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "web", uid: "u", controller: true };
  const revision = createdAs(controllerRevision, { metadata: { name: "r", ownerReferences: [owner] }, revision: 3, data: {} }).object;
  assert.deepEqual(controllerRevision.columns?.cells(revision, 0), ["r", "daemonset.apps/web", 3, "<unknown>"]);
  assert.deepEqual(podTemplate.columns?.cells(createdAs(podTemplate, { metadata: { name: "t" }, template }).object, 0), [
    "t",
    ...names,
    "app=web",
  ]);
  const controller = createdAs(replicationController, { metadata: { name: "web" }, spec: { template } }).object;
  assert.deepEqual(replicationController.columns?.cells(controller, 0), ["web", 1, 0, 0, "<unknown>", ...names, "app=web"]);
});
