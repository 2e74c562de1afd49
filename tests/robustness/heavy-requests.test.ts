/** Requests that are slow to read, check and print, whatever they are about: others hardly wait, and not for several either. */
import assert from "node:assert/strict";
import type { ClientHttp2Session } from "node:http2";
import { after, before, describe, test } from "node:test";
import { propertyRuns } from "../scope.ts";
import { definition, fields, spec } from "./hostile-definitions.ts";
import { assertOthersServed, type Latency, startMeasured, watchLatency } from "./latency.ts";
import { type Answer, configMaps, type Sent, send as sendOn, type Target, until } from "./target.ts";

let target: Target;
let session: ClientHttp2Session;
let latency: Latency;
before(async () => {
  target = await startMeasured();
  session = await target.http2({ windowSize: 16 * 1024 * 1024 });
  latency = await watchLatency(target);
  // What is loaded once is loaded.
  await send("POST", crds, { body: definition({ plural: "readies" }) });
  await send("POST", configMaps, { body: configMap("first", 2_000) });
});
after(async () => {
  await latency[Symbol.asyncDispose]();
  session.destroy();
  await target[Symbol.asyncDispose]();
});

const send = (method: string, path: string, sent: Sent = {}): Promise<Answer> =>
  sendOn({ session, authorization: target.authorization }, method, path, sent);

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const wide = (count: number, value: unknown = "1"): object => Object.fromEntries(many(count, (i) => [`p${i}`, value]));
const configMap = (name: string, keys: number): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, annotations: { wide: "yes" } }, data: wide(keys) });

function policy(name: string, expressions: readonly string[]): string {
  const matchConstraints = { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }] };
  const validations = expressions.map((expression) => ({ expression }));
  return JSON.stringify({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: { matchConstraints, validations },
  });
}

interface Case extends Sent {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

const pod = (containers: readonly object[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } });
const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes: { verb: "get" } } };

/** In this order: later ones look at what earlier ones have stored. */
const cases: readonly Case[] = [
  { name: "an object of 200,000 keys", method: "POST", path: configMaps, body: configMap("wide", 100_000), status: 201 },
  { name: "… that is read", method: "GET", path: `${configMaps}/wide`, status: 200 },
  { name: "… as YAML", method: "GET", path: `${configMaps}/wide`, headers: { accept: "application/yaml" }, status: 200 },
  {
    name: "… as a Table",
    method: "GET",
    path: `${configMaps}/wide`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    status: 200,
  },
  {
    name: "… that a small patch changes",
    method: "PATCH",
    path: `${configMaps}/wide`,
    type: "application/merge-patch+json",
    body: '{"metadata":{"labels":{"a":"b"}}}',
    status: 200,
  },
  {
    name: "… that is applied",
    method: "PATCH",
    path: `${configMaps}/wide?fieldManager=other&force=true`,
    type: "application/apply-patch+yaml",
    body: configMap("wide", 50_000),
    status: 200,
  },
  { name: "… that is replaced", method: "PUT", path: `${configMaps}/wide`, body: configMap("wide", 90_000), status: 200 },
  { name: "… that is deleted", method: "DELETE", path: `${configMaps}/wide`, status: 200 },
  {
    name: "100,000 variables of a container",
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    body: pod([{ name: "a", image: "b", env: many(100_000, (i) => ({ name: `a${i}`, value: "x" })) }]),
    status: 201,
  },
  {
    name: "60,000 containers, all wrong",
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    body: pod(many(60_000, (i) => ({ name: `A${i}`, image: "b" }))),
    status: 422,
  },
  {
    name: "YAML of many aliases",
    method: "POST",
    path: configMaps,
    type: "application/yaml",
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata:\n  a: &a ${"x".repeat(3_000)}\n${many(3_000, (i) => `  b${i}: *a\n`).join("")}`,
    status: 422,
  },
  {
    name: "a review with 200,000 fields more",
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: JSON.stringify({ ...review, ...wide(200_000) }),
    status: 201,
  },
  {
    name: "a policy of 3 MB",
    method: "POST",
    path: policies,
    body: policy(
      "long",
      many(30, () => `${"object.spec.hostNetwork == true || ".repeat(2_800)}true`),
    ),
    status: 201,
  },
];

describe("one at a time", () => {
  for (const { name, method, path, status, ...sent } of cases)
    test(name, async (t) => {
      await latency.work();
      const answer = await send(method, path, sent);
      assert.equal(answer.status, status, answer.text.slice(0, 300));
      await assertOthersServed(latency, t);
    });
});

/** A few, or with `--all` ten. */
const some = propertyRuns(10);

test(`${some} at once`, async (t) => {
  await latency.work();
  const bodies = many(some, (i) => configMap(`at-once-${i}`, 100_000));
  const answers = await Promise.all(bodies.map((body) => send("POST", configMaps, { body })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    many(some, () => 201),
  );
  await assertOthersServed(latency, t);
  const kb = target.residentKb();
  t.diagnostic(`${kb === undefined ? "unknown" : Math.round(kb / 1024)} MB of memory`);
});

test(`custom objects that take long, ${some} at once`, async (t) => {
  const list = { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" };
  assert.equal((await send("POST", crds, { body: definition({ plural: "sets", schema: spec(fields({ items: list })) }) })).status, 201);
  const path = "/apis/hostile.example.com/v1/namespaces/default/sets";
  await until("it is served", async () => (await send("GET", path)).status === 200);
  const items = many(100_000, (i) => `a${i}`);
  const bodies = many(some, (i) =>
    JSON.stringify({ apiVersion: "hostile.example.com/v1", kind: "Sets", metadata: { name: `s${i}` }, spec: { items } }),
  );
  await latency.work();
  const answers = await Promise.all(bodies.map((body) => send("POST", path, { body })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    many(some, () => 201),
  );
  await assertOthersServed(latency, t);
});

test(`${2 * some} at once that are not large enough for another thread`, async (t) => {
  await latency.work();
  const bodies = many(2 * some, (i) => configMap(`light-${i}`, 4_500));
  const answers = await Promise.all(bodies.map((body) => send("POST", configMaps, { body })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    many(2 * some, () => 201),
  );
  await assertOthersServed(latency, t);
});

test(`small objects that take long, ${2 * some} at once`, async (t) => {
  const numbers = { type: "array", maxItems: 400, items: { type: "integer" } };
  const rules = many(20, () => ({ rule: "self.all(a, self.all(b, a + b >= 0))" }));
  const schema = spec(fields({ numbers: { ...numbers, "x-kubernetes-validations": rules } }));
  assert.equal((await send("POST", crds, { body: definition({ plural: "ruleds", schema }) })).status, 201);
  const path = "/apis/hostile.example.com/v1/namespaces/default/ruleds";
  await until("it is served", async () => (await send("GET", path)).status === 200);
  const body = JSON.stringify({
    apiVersion: "hostile.example.com/v1",
    kind: "Ruleds",
    metadata: { generateName: "r" },
    spec: { numbers: many(340, (i) => i) },
  });
  await latency.work();
  const answers = await Promise.all(many(2 * some, () => send("POST", path, { body })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    many(2 * some, () => 422),
  );
  await assertOthersServed(latency, t);
});
