/** What a Secret holds is in its own object alone: not in answers to others, in events, metrics, logs, or the audit log below its bodies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileAuditPolicy, loadEncryptionConfiguration, Metrics } from "@coxswain/apiserver";
import { ManualClock } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import { type Api, type Sent, startApi } from "../integration/api.ts";

const plain = "hunter2-correct-horse";
const encoded = Buffer.from(plain).toString("base64");
const secrets = "/api/v1/namespaces/default/secrets";
const secretOf = (data: object): object => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data });
const merge = "application/merge-patch+json";

/** Writes and reads that are wrong in some way, of somebody who knows the Secret: whoever reads along learns nothing from it. */
const refused: readonly { name: string; method: string; path: string; sent: Sent }[] = [
  { name: "JSON that breaks off", method: "POST", path: secrets, sent: { body: JSON.stringify(secretOf({ a: encoded })).slice(0, -3) } },
  {
    name: "JSON with something behind it",
    method: "POST",
    path: secrets,
    sent: { body: `${JSON.stringify(secretOf({ a: encoded }))}${plain}` },
  },
  { name: "no JSON at all", method: "POST", path: secrets, sent: { body: plain } },
  { name: "YAML that breaks off", method: "POST", path: secrets, sent: { type: "application/yaml", body: `data:\n  a: "${encoded}\n` } },
  { name: "a value that is no base64", method: "POST", path: secrets, sent: { body: secretOf({ a: `${plain}!` }) } },
  { name: "a value of another type", method: "POST", path: secrets, sent: { body: { ...secretOf({}), data: encoded } } },
  { name: "a number in the place of a value", method: "POST", path: secrets, sent: { body: { ...secretOf({}), data: [encoded] } } },
  {
    name: "data that a type forbids",
    method: "POST",
    path: secrets,
    sent: { body: { ...secretOf({ ".dockerconfigjson": encoded }), type: "kubernetes.io/dockerconfigjson" } },
  },
  {
    name: "a change of what is immutable",
    method: "PATCH",
    path: `${secrets}/fixed`,
    sent: { type: merge, body: { data: { a: Buffer.from(`${plain}2`).toString("base64") } } },
  },
  {
    name: "a conflict",
    method: "PUT",
    path: `${secrets}/known`,
    sent: { body: { ...secretOf({ a: encoded }), metadata: { name: "known", resourceVersion: "1" } } },
  },
  {
    name: "a merge patch that breaks off",
    method: "PATCH",
    path: `${secrets}/known`,
    sent: { type: merge, body: `{"data":{"a":"${encoded}"` },
  },
  {
    name: "a JSON patch whose test fails",
    method: "PATCH",
    path: `${secrets}/known`,
    sent: { type: "application/json-patch+json", body: [{ op: "test", path: "/data/a", value: "eA==" }] },
  },
  {
    name: "a selector by what a Secret holds",
    method: "GET",
    path: `${secrets}?fieldSelector=data.a%3D${encodeURIComponent("x")}`,
    sent: {},
  },
];

const holds = (text: string): boolean => [plain, encoded, encodeURIComponent(encoded)].some((one) => text.includes(one));

async function seeded(overrides: Parameters<typeof startApi>[0] = {}): Promise<Api> {
  const api = await startApi(overrides);
  for (const [name, more] of [
    ["known", {}],
    ["fixed", { immutable: true }],
  ] as const) {
    const { status, text } = await api.send("POST", secrets, { body: { ...secretOf({ a: encoded }), ...more, metadata: { name } } });
    assert.equal(status, 201, text);
  }
  return api;
}

for (const { name, method, path, sent } of refused)
  test(`the answer to ${name} has nothing of the Secret`, async () => {
    const api = await seeded();
    const { status, text } = await api.send(method, path, sent);
    assert.ok(status >= 400 && status < 500, `${status}: ${text}`);
    assert.ok(!holds(text), text);
    await api.server.close();
  });

test("metrics, events, logs and the audit log at Metadata have nothing of Secrets", async () => {
  const lines: string[] = [];
  const keep = (...parts: readonly unknown[]): void => void lines.push(JSON.stringify(parts));
  const clock = new ManualClock();
  const metrics = new Metrics({ startedAt: 0 });
  const policy = compileAuditPolicy({ rules: [{ level: "Metadata" }] });
  const audit = { policy, sink: { process: (line: string) => lines.push(line) > 0 } };
  const store = createMemoryStore({ clock });
  const api = await seeded({ metrics, store, audit, log: { debug: keep, info: keep, warn: keep, error: keep } });
  await api.send("GET", `${secrets}/known`);
  await api.send("GET", secrets);
  for (const { method, path, sent } of refused) await api.send(method, path, sent);
  for (const path of [
    "/metrics",
    "/api/v1/events",
    "/apis/events.k8s.io/v1/events",
    "/readyz?verbose",
    "/openapi/v2",
    "/debug/api_priority_and_fairness/dump_requests",
  ])
    lines.push((await api.send("GET", path)).text);
  assert.ok(lines.length > refused.length, `${lines.length} lines`);
  assert.deepEqual(lines.filter(holds), []);
  await api.server.close();
});

test("the audit log keeps of a Secret's write what its policy wants, and the value only where that asks for bodies", async () => {
  const levels = ["Metadata", "Request", "RequestResponse"] as const;
  const kept = await Promise.all(
    levels.map(async (level) => {
      const lines: string[] = [];
      const policy = compileAuditPolicy({ rules: [{ level }] });
      const api = await seeded({ audit: { policy, sink: { process: (line) => lines.push(line) > 0 } } });
      await api.server.close();
      return lines.some(holds);
    }),
  );
  assert.deepEqual(kept, [false, true, true]);
});

test("a managed-fields conflict and a table of Secrets show no values", async () => {
  const api = await seeded();
  const apply = (manager: string, value: string): ReturnType<Api["send"]> =>
    api.send("PATCH", `${secrets}/applied?fieldManager=${manager}`, {
      type: "application/apply-patch+yaml",
      body: { ...secretOf({ a: value }), metadata: { name: "applied" } },
    });
  assert.equal((await apply("one", encoded)).status, 201);
  const conflict = await apply("two", Buffer.from("other").toString("base64"));
  assert.equal(conflict.status, 409);
  assert.ok(!holds(conflict.text), conflict.text);
  const table = await api.send("GET", secrets, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" });
  assert.equal(table.body.kind, "Table");
  assert.ok(!holds(table.text), table.text);
  await api.server.close();
});

test("the message for an EncryptionConfiguration that is wrong has none of its keys", async () => {
  const key = Buffer.alloc(32, "k").toString("base64");
  const resources = [{ resources: ["secrets"], providers: [{ aescbc: { keys: [{ name: "k", secret: key }] } }] }];
  const openKms = (): never => assert.fail("no key management service is named");
  const head = { kind: "EncryptionConfiguration", apiVersion: "apiserver.config.k8s.io/v1" };
  for (const given of [
    { resources },
    { ...head, kind: "", resources },
    { ...head, apiVersion: "", resources },
    { ...head, resources, x: 1 },
    `resources: [{providers: [{aescbc: {keys: [{secret: *${key}}]}}]}]`,
    `resources: [{providers: [{aescbc: {keys: [{secret: !!float "${key}"}]}}]}]`,
  ]) {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    await assert.rejects(
      loadEncryptionConfiguration({ path: "f", text, reload: false, openKms }),
      ({ message }: Error) => !message.includes(key),
    );
  }
});
