import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";

const pods = "/api/v1/namespaces/default/pods";
const uid = "11111111-2222-3333-4444-555555555555";

interface Case {
  readonly name: string;
  readonly binding: object;
  readonly path?: string;
  readonly pod?: object;
  readonly twice?: boolean;
  readonly status: number;
  readonly message?: string | RegExp;
}

const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };

const cases: readonly Case[] = [
  { name: "a Pod is bound through its subresource", binding, status: 201 },
  { name: "a Pod is bound by name", binding, path: "/api/v1/namespaces/default/bindings", status: 201 },
  {
    name: "a Pod is bound once",
    binding,
    twice: true,
    status: 409,
    message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
  },
  {
    name: "a gated Pod is not bound",
    binding,
    pod: { schedulingGates: [{ name: "g" }] },
    status: 409,
    message: 'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
  },
  {
    name: "a Binding names the Pod of its path",
    binding: { ...binding, metadata: { name: "q" } },
    status: 400,
    message: "name in URL does not match name in Binding object",
  },
  {
    name: "a Binding without a target is an error without a reason",
    binding: { metadata: { name: "p" } },
    status: 500,
    message: "target.name: Required value",
  },
  {
    name: "a Binding's uid is a precondition, checked before anything else",
    binding: { ...binding, metadata: { name: "p", uid } },
    twice: true,
    status: 409,
    message: /^Operation cannot be fulfilled on pods "p": StorageError: .* Precondition failed: UID in precondition: 1{8}/,
  },
  {
    name: "a Binding's version is a precondition",
    binding: { ...binding, metadata: { name: "p", resourceVersion: "1" } },
    status: 409,
    message: /Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: \d+$/,
  },
];
for (const { name, binding: body, path = `${pods}/p/binding`, pod, twice, status, message } of cases) {
  test(name, async () => {
    const api = await startApi();
    await makePod(api, pod);
    if (twice) assert.equal((await api.send("POST", path, { body: binding })).status, 201);
    const answer = await api.send("POST", path, { body });
    assert.equal(answer.status, status, answer.text);
    if (typeof message === "string") assert.equal(answer.body.message, message);
    else if (message !== undefined) assert.match(answer.body.message, message);
  });
}

const makePod = (api: Api, spec: object = {}) =>
  api.send("POST", pods, {
    body: { metadata: { name: "p", labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }], ...spec } },
  });

test("a bound Pod has its node, its annotations and its node's zone", async () => {
  const api = await startApi();
  const labels = { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r", "kubernetes.io/hostname": "n" };
  await api.send("POST", "/api/v1/nodes", { body: { metadata: { name: "n", labels } } });
  await makePod(api);
  await api.send("POST", `${pods}/p/binding`, { body: { ...binding, metadata: { name: "p", annotations: { c: "d" } } } });
  const { body } = await api.send("GET", `${pods}/p`);
  assert.equal(body.spec.nodeName, "n");
  assert.deepEqual(body.metadata.annotations, { c: "d" });
  assert.deepEqual(body.metadata.labels, { a: "b", "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r" });
  assert.deepEqual(
    body.status.conditions.map(({ type, status }: Json) => [type, status]),
    [["PodScheduled", "True"]],
  );
});

test("a Binding writes no managed fields", async () => {
  const api = await startApi();
  await makePod(api);
  const managed = async () => (await api.send("GET", `${pods}/p`)).body.metadata.managedFields;
  const before = await managed();
  await api.send("POST", `${pods}/p/binding`, { body: binding });
  assert.equal(before.length, 1);
  assert.deepEqual(await managed(), before);
});

for (const subresource of ["binding", "eviction"]) {
  test(`a Namespace that is going takes no ${subresource}`, async () => {
    const api = await startApi();
    await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "n" } } });
    const inN = pods.replace("default", "n");
    await api.send("POST", inN, { body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } } });
    await api.send("DELETE", "/api/v1/namespaces/n");
    const body = subresource === "binding" ? binding : { metadata: { name: "p" } };
    const answer = await api.send("POST", `${inN}/p/${subresource}`, { body });
    assert.deepEqual([answer.status, answer.body.details.causes[0].reason], [403, "NamespaceTerminating"]);
  });
}
