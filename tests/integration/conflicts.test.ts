/** What a conflict explains: docs/concepts/conflicts.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Json } from "./api.ts";
import { applyPatch, define, definitionOf, merge, schemaOf, versionOf, widget, widgets, widgetsIn } from "./custom-resources.ts";
import { conflictCauses, messagesOf, recent, startForWriters, type Writers } from "./writers.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const pods = "/api/v1/namespaces/default/pods";
const strategic = "application/strategic-merge-patch+json";
const jsonPatch = "application/json-patch+json";
const template = (containers: Json) => ({ metadata: { labels: { a: "b" } }, spec: { containers } });
const deployment = (spec: Json = {}) => ({
  metadata: { name: "web" },
  spec: { selector: { matchLabels: { a: "b" } }, template: template([{ name: "a", image: "a:1" }]), ...spec },
});
const configMap = (data: Json, metadata: Json = {}) => ({ metadata: { name: "x", ...metadata }, data });

async function create(api: Writers, path: string, body: Json): Promise<Json> {
  const answer = await api.as({ user: "ann", manager: "setup" }, "POST", path, { body });
  assert.equal(answer.status, 201, answer.text);
  api.clock.advance(1_500);
  return answer.body;
}

const ok = async (answer: Promise<Answer>): Promise<Json> => {
  const { status, body, text } = await answer;
  assert.ok(status < 300, text);
  return body;
};

test("a conflict names each changed field, its author, the time, and whether the write changes it too", async () => {
  const api = await startForWriters();
  const read = await create(api, deployments, deployment());
  await ok(
    api.as({ user: "bob", manager: "kubectl-scale" }, "PATCH", `${deployments}/web`, {
      body: { spec: { replicas: 5, paused: true } },
      type: merge,
    }),
  );
  const mine = { ...read, spec: { ...read.spec, replicas: 2 } };
  const answer = await api.as({ user: "eve", manager: "operator" }, "PUT", `${deployments}/web`, { body: mine });
  const { message, details } = answer.body;
  assert.equal(
    message,
    'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
  );
  assert.deepEqual(details, {
    name: "web",
    group: "apps",
    kind: "deployments",
    causes: [
      {
        reason: "OverlappingChange",
        message: 'changed by manager "kubectl-scale" (user "bob") at 2026-01-01T00:00:01.500Z; this write changes it too',
        field: ".spec.replicas",
      },
      {
        reason: "OtherChange",
        message: 'added by manager "kubectl-scale" (user "bob") at 2026-01-01T00:00:01.500Z; this write would remove it again',
        field: ".spec.paused",
      },
    ],
  });
});

test("a change that a write does not mean to touch says whether it would have undone it", async () => {
  const attempts = {
    PUT: (read: Json) => ({ body: read }),
    PATCH: (read: Json) => ({ body: { metadata: { ...version(read), labels: { tier: "front" } } }, type: merge }),
  };
  const effects: Record<string, Json> = {};
  for (const [method, attempt] of Object.entries(attempts)) {
    const api = await startForWriters();
    const read = await create(api, deployments, deployment({ paused: true }));
    const bobs = { metadata: { annotations: { bob: "1" } }, spec: { replicas: 5, paused: null } };
    await api.as({ user: "bob", manager: "bob" }, "PATCH", `${deployments}/web`, { body: bobs, type: merge });
    const { body } = await api.as({ user: "eve", manager: "eve" }, method, `${deployments}/web`, attempt(read));
    effects[method] = Object.fromEntries(body.details.causes.map(({ field, message }: Json) => [field, message.split("; ").at(-1)]));
  }
  const undone = { ".spec.replicas": "set it back", ".metadata.annotations.bob": "remove it again", ".spec.paused": "add it again" };
  const wouldHave = Object.entries(undone).map(([name, effect]) => [name, `this write would ${effect}`]);
  assert.deepEqual(effects.PUT, Object.fromEntries(wouldHave));
  assert.deepEqual(effects.PATCH, Object.fromEntries(wouldHave.map(([name]) => [name, "this write does not change it"])));
});

/** Bob changes what Eve had read; then Eve writes with the version that she had read. */
interface Race {
  readonly name: string;
  readonly bob: Json;
  readonly eve: (read: Json) => readonly [method: string, path: string, body: Json, type?: string];
  readonly expect: readonly string[];
}

const replicas = (read: Json, n = 2) => ({ ...read, spec: { ...read.spec, replicas: n } });
const version = ({ metadata: { resourceVersion } }: Json) => ({ resourceVersion });

const races: readonly Race[] = [
  {
    name: "an item of a list counts by its key, and as a whole when it came or went",
    bob: {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "a", image: "a:2" },
              { name: "b", image: "b:1" },
            ],
          },
        },
      },
    },
    eve: (read) => [
      "PATCH",
      "web",
      { metadata: version(read), spec: { template: { spec: { containers: [{ name: "a", image: "a:3" }] } } } },
      strategic,
    ],
    expect: ['OverlappingChange .spec.template.spec.containers[name="a"].image', 'OtherChange .spec.template.spec.containers[name="b"]'],
  },
  {
    name: "taking an item away overlaps with a change in it",
    bob: { spec: { template: { spec: { containers: [{ name: "a", image: "a:2" }] } } } },
    eve: (read) => ["PUT", "web", { ...read, spec: { ...read.spec, template: template([{ name: "z", image: "z" }]) } }],
    expect: ['OverlappingChange .spec.template.spec.containers[name="a"].image'],
  },
  {
    name: "two writers that add different entries to a new map do not overlap",
    bob: { metadata: { annotations: { bob: "1" } } },
    eve: (read) => ["PATCH", "web", { metadata: { ...version(read), annotations: { eve: "1" } } }, merge],
    expect: ["OtherChange .metadata.annotations.bob"],
  },
  {
    name: "a JSON patch",
    bob: { spec: { replicas: 5 } },
    eve: (read) => [
      "PATCH",
      "web",
      [
        { op: "replace", path: "/metadata/resourceVersion", value: read.metadata.resourceVersion },
        { op: "replace", path: "/spec/replicas", value: 3 },
      ],
      jsonPatch,
    ],
    expect: ["OverlappingChange .spec.replicas"],
  },
  {
    name: "the same change twice overlaps too",
    bob: { spec: { replicas: 5 } },
    eve: (read) => ["PATCH", "web", { metadata: version(read), spec: { replicas: 5 } }, merge],
    expect: ["OverlappingChange .spec.replicas"],
  },
  {
    name: "an apply with a version",
    bob: { spec: { paused: true } },
    eve: (read) => [
      "PATCH",
      "web?fieldManager=eve&force=true",
      { apiVersion: "apps/v1", kind: "Deployment", metadata: version(read), spec: { replicas: 7 } },
      applyPatch,
    ],
    expect: ["OtherChange .spec.paused"],
  },
  {
    name: "PUT of a scale",
    bob: { spec: { replicas: 5, paused: true } },
    eve: (read) => ["PUT", "web/scale", { metadata: { name: "web", ...version(read) }, spec: { replicas: 2 } }],
    expect: ["OverlappingChange .spec.replicas", "OtherChange .spec.paused"],
  },
  {
    name: "PATCH of a scale",
    bob: { spec: { replicas: 5 } },
    eve: (read) => ["PATCH", "web/scale", { metadata: version(read), spec: { replicas: 2 } }, merge],
    expect: ["OverlappingChange .spec.replicas"],
  },
  {
    name: "PUT of the status ignores the spec in its body",
    bob: { spec: { replicas: 5 } },
    eve: (read) => ["PUT", "web/status", { ...replicas(read), status: { replicas: 1 } }],
    expect: ["OtherChange .spec.replicas"],
  },
  {
    name: "a delete with a version overlaps with everything",
    bob: { spec: { replicas: 5 } },
    eve: (read) => ["DELETE", "web", { preconditions: version(read) }],
    expect: ["OverlappingChange .spec.replicas"],
  },
];
for (const { name, bob, eve, expect } of races) {
  test(name, async () => {
    const api = await startForWriters();
    const read = await create(api, deployments, deployment());
    await ok(api.as({ user: "bob", manager: "bob" }, "PATCH", `${deployments}/web`, { body: bob, type: strategic }));
    const [method, path, body, type] = eve(read);
    assert.deepEqual(
      conflictCauses(
        await api.as({ user: "eve", manager: "eve" }, method, `${deployments}/${path}`, type === undefined ? { body } : { body, type }),
      ),
      expect,
    );
  });
}

test("scheduler and kubelet on one Pod: what each did to the other", async () => {
  const api = await startForWriters();
  const read = await create(api, pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
  await ok(
    api.as({ user: "system:kube-scheduler", manager: "kube-scheduler" }, "POST", `${pods}/p/binding`, {
      body: { metadata: { name: "p" }, target: { name: "n" } },
    }),
  );
  const running = { ...read, status: { ...read.status, phase: "Running" } };
  const kubelet = await api.as({ user: "system:node:n", manager: "kubelet" }, "PUT", `${pods}/p/status`, { body: running });
  assert.deepEqual(conflictCauses(kubelet), ["OtherChange .spec.nodeName", 'StatusChange .status.conditions[type="PodScheduled"]']);
  assert.match(messagesOf(kubelet)[0] ?? "", /^added by manager "kube-scheduler" \(user "system:kube-scheduler"\) at /);
  assert.match(messagesOf(kubelet)[1] ?? "", /; status only$/);
  const bound = await ok(api.send("GET", `${pods}/p`));
  await ok(
    api.as({ user: "system:node:n", manager: "kubelet" }, "PUT", `${pods}/p/status`, {
      body: { ...bound, status: { ...bound.status, phase: "Running" } },
    }),
  );
  const labelled = { ...bound, metadata: { ...bound.metadata, labels: { a: "b" } } };
  const scheduler = await api.as({ user: "system:kube-scheduler", manager: "kube-scheduler" }, "PUT", `${pods}/p`, { body: labelled });
  assert.deepEqual(conflictCauses(scheduler), ["StatusChange .status.phase"]);
});

test("a Binding with an old version", async () => {
  const api = await startForWriters();
  const read = await create(api, pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
  await ok(api.as({ user: "bob", manager: "bob" }, "PATCH", `${pods}/p`, { body: { metadata: { labels: { a: "b" } } }, type: merge }));
  const binding = { metadata: { name: "p", ...version(read) }, target: { name: "n" } };
  assert.deepEqual(conflictCauses(await api.as({ user: "eve", manager: "s" }, "POST", `${pods}/p/binding`, { body: binding })), [
    "OtherChange .metadata.labels.a",
  ]);
});

test("custom resources: by the lists of their schema, in each of their versions", async () => {
  const api = await startForWriters();
  const list = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"] };
  const items = { type: "object", required: ["id"], properties: { id: { type: "string" }, by: { type: "string" } } };
  const tags = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
  const schema = schemaOf({ spec: { seats: { ...list, items }, tags } });
  await define(api, definitionOf({ versions: [versionOf("v1", { storage: true, schema }), versionOf("v2", { schema })] }));
  const seats = (...by: readonly string[]) => by.map((who, i) => ({ id: `${i}`, by: who }));
  const read = await create(api, widgets, widget("w", { spec: { seats: seats("", ""), tags: ["t"] } }));
  const v2 = `${widgetsIn("default", "v2")}/w`;
  await ok(
    api.as({ user: "ann", manager: "ann" }, "PATCH", v2, {
      body: { spec: { seats: seats("ann", ""), tags: ["t", "secret"] } },
      type: merge,
    }),
  );
  const booked = { ...read, spec: { ...read.spec, seats: seats("bob", "") } };
  const expected = ['OverlappingChange .spec.seats[id="0"].by', "OtherChange .spec.tags"];
  assert.deepEqual(conflictCauses(await api.as({ user: "bob", manager: "bob" }, "PUT", `${widgets}/w`, { body: booked })), expected);
  assert.deepEqual(
    conflictCauses(await api.as({ user: "bob", manager: "bob" }, "PUT", v2, { body: { ...booked, apiVersion: "example.com/v2" } })),
    expected,
  );
  const other = { ...read, spec: { ...read.spec, seats: seats("", "bob") } };
  assert.deepEqual(conflictCauses(await api.as({ user: "bob", manager: "bob" }, "PUT", `${widgets}/w`, { body: other })), [
    'OtherChange .spec.seats[id="0"].by',
    "OtherChange .spec.tags",
  ]);
});

test("of several changes of a field a conflict names the last, with their number", async () => {
  const api = await startForWriters();
  const read = await create(api, maps, configMap({ n: "0" }));
  for (const [i, who] of ["ann", "bob", "cid"].entries()) {
    await ok(
      api.as({ user: who, manager: who }, "PATCH", `${maps}/x?fieldManager=m-${who}`, { body: { data: { n: `${i + 1}` } }, type: merge }),
    );
    api.clock.advance(1_000);
  }
  const answer = await api.as({ user: "eve", manager: "eve" }, "PUT", `${maps}/x`, { body: { ...read, data: { n: "9" } } });
  assert.deepEqual(messagesOf(answer), [
    'changed by manager "m-cid" (user "cid") at 2026-01-01T00:00:03.500Z (last of 3 changes); this write changes it too',
  ]);
  const [refused] = (await recent(api)).items;
  assert.deepEqual([refused.behindBy, refused.readResourceVersion], [3, read.metadata.resourceVersion]);
});

test("a change and its opposite are both a change", async () => {
  const api = await startForWriters();
  const read = await create(api, maps, configMap({ n: "0" }));
  for (const n of ["1", "0"])
    await ok(api.as({ user: "bob", manager: "bob" }, "PATCH", `${maps}/x`, { body: { data: { n } }, type: merge }));
  const answer = await api.as({ user: "eve", manager: "eve" }, "PUT", `${maps}/x`, { body: { ...read, data: { n: "0", m: "1" } } });
  assert.deepEqual(conflictCauses(answer), ["OtherChange .data.n"]);
});

test("a conflict names a deletionTimestamp, and an update that leaves it out does not overlap", async () => {
  const api = await startForWriters();
  const read = await create(api, maps, configMap({}, { finalizers: ["example.com/hold"] }));
  await ok(api.as({ user: "bob", manager: "kubectl" }, "DELETE", `${maps}/x`));
  assert.deepEqual(
    conflictCauses(await api.as({ user: "eve", manager: "eve" }, "PUT", `${maps}/x`, { body: { ...read, data: { a: "b" } } })),
    ["OtherChange .metadata.deletionGracePeriodSeconds", "OtherChange .metadata.deletionTimestamp"],
  );
});

test("an apply that only changes hands is no change of a field", async () => {
  const api = await startForWriters();
  const read = await create(api, maps, configMap({ n: "0" }));
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { n: "0" } };
  await ok(api.as({ user: "bob", manager: "bob" }, "PATCH", `${maps}/x?fieldManager=bob`, { body: applied, type: applyPatch }));
  const answer = await api.as({ user: "eve", manager: "eve" }, "PUT", `${maps}/x`, { body: { ...read, data: { n: "1" } } });
  assert.deepEqual(answer.body.details.causes, [
    { reason: "OtherChange", message: 'written by manager "bob" (user "bob") at 2026-01-01T00:00:01.500Z without a change of its fields' },
  ]);
});
