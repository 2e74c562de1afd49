/** The audit log has the events that kube-apiserver 1.36.3 has recorded of the same requests under the same policy. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type AuditPolicyDocument, type AuditStage, compileAuditPolicy, loadAuditPolicy } from "@coxswain/apiserver";
import { type Api, type Json, type Sent, startApi } from "./api.ts";

const fixture = (name: string): string => readFileSync(new URL(`./audit-events/${name}`, import.meta.url), "utf8");

interface Recorded extends Sent {
  readonly method: string;
  readonly target: string;
  readonly events: readonly Json[];
}

interface Audited {
  readonly api: Api;
  readonly events: Json[];
}

async function startAudited(policy: AuditPolicyDocument, overrides: Parameters<typeof startApi>[0] = {}): Promise<Audited> {
  const events: Json[] = [];
  const sink = { process: (line: string) => events.push(JSON.parse(line)) > 0 };
  const user = { name: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"], extra: {} };
  const api = await startApi({
    audit: { policy: compileAuditPolicy(policy), sink },
    authenticators: [
      ({ headers }) =>
        headers.authorization === "Bearer wrong" ? { kind: "rejected", reason: "unknown token" } : { kind: "authenticated", user },
    ],
    ...overrides,
  });
  return { api, events };
}

const hidden = new Set(["resourceVersion", "creationTimestamp", "requestReceivedTimestamp", "stageTimestamp"]);

function normalized(value: Json): Json {
  if (Array.isArray(value)) return value.map(normalized);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      hidden.has(key) || (key === "uid" && member !== "admin") ? "…" : normalized(member),
    ]),
  );
}

test("records what Kubernetes records", async () => {
  const { api, events } = await startAudited(await loadAuditPolicy(fixture("policy.yaml")));
  const recorded: readonly Recorded[] = JSON.parse(fixture("kubernetes.json"));
  for (const [i, { method, target, events: expected, ...sent }] of recorded.entries()) {
    events.length = 0;
    await api.send(method, target, { ...sent, headers: { "user-agent": "test", "audit-id": `id-${i}`, ...sent.headers } });
    assert.deepEqual(normalized(events), expected, `${method} ${target}`);
  }
  assert.ok(recorded.length > 15);
  await api.server.close();
});

/** What tells an event apart: of the answer, only its kind. Who may do what is not asked here. */
function summary(event: Json): Json {
  const { stage, verb, objectRef, responseStatus, requestObject, responseObject, annotations = {} } = normalized(event);
  const { details: { causes, ...details } = {} as Json, ...status } = responseStatus;
  const others = causes?.some(({ reason }: Json) => reason === "OtherObject") ? {} : { ...(causes === undefined ? {} : { causes }) };
  const said = responseStatus.details === undefined ? status : { ...status, details: { ...details, ...others } };
  const own = Object.entries(annotations as Record<string, string>).map(([key, value]) => [
    key,
    value.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "…"),
  ]);
  return {
    stage,
    verb,
    objectRef,
    responseStatus: said,
    requestObject,
    answer: responseObject?.kind,
    annotations: Object.fromEntries(own),
  };
}

test("records of requests of every kind what Kubernetes records, level RequestResponse", async () => {
  const { api, events } = await startAudited({ rules: [{ level: "RequestResponse" }], omitStages: ["RequestReceived"] });
  const recorded: readonly (Recorded & { readonly name: string })[] = JSON.parse(fixture("requests.json"));
  for (const { name, method, target, events: expected, ...sent } of recorded) {
    events.length = 0;
    await api.send(method, target, sent);
    const plain = JSON.parse(JSON.stringify(events.map(summary)));
    assert.deepEqual(plain, expected.map(normalized), name);
  }
  assert.ok(recorded.length > 50);
  await api.server.close();
});

test("a watch is recorded when it starts and when it ends", async () => {
  const { api, events } = await startAudited({ rules: [{ level: "Metadata", verbs: ["watch"] }] });
  const watching = await api.watch("/api/v1/namespaces/default/configmaps?watch=true");
  const stages = (): AuditStage[] => events.map(({ stage }) => stage);
  assert.deepEqual(stages(), ["RequestReceived", "ResponseStarted"]);
  watching.leave();
  await api.server.close();
  assert.deepEqual(stages(), ["RequestReceived", "ResponseStarted", "ResponseComplete"]);
});

test("a request that the other thread serves is recorded as if there were none", async () => {
  const rules = [{ level: "Request", resources: [{ group: "", resources: ["configmaps"] }], omitStages: ["RequestReceived"] }] as const;
  const data = { long: "x".repeat(400_000) };
  const record = async (overrides: Parameters<typeof startApi>[0]): Promise<Json[]> => {
    const { api, events } = await startAudited({ rules }, overrides);
    await api.send("POST", "/api/v1/namespaces/default/configmaps", {
      body: { metadata: { name: "a" }, data },
      headers: { "audit-id": "1" },
    });
    await api.send("POST", "/api/v1/namespaces/default/configmaps", {
      body: { metadata: { name: "a" }, data },
      headers: { "audit-id": "2" },
    });
    await api.server.close();
    return normalized(events);
  };
  const events = await record({ offload: "thread" });
  assert.deepEqual(
    events.map(({ responseStatus }) => responseStatus.code),
    [201, 409],
  );
  assert.equal(events[0].requestObject.data.long.length, 400_000);
  assert.deepEqual(events, await record({}));
});

test("an event is one line, also where the answer has many", async () => {
  const lines: string[] = [];
  const policy = compileAuditPolicy({ rules: [{ level: "RequestResponse" }], omitStages: ["RequestReceived"] });
  const api = await startApi({ audit: { policy, sink: { process: (line) => lines.push(line) > 0 } } });
  await api.send("GET", "/api/v1/namespaces/default?pretty=true");
  await api.send("GET", "/api/v1/namespaces?pretty=true");
  assert.deepEqual(
    lines.map((line) => line.indexOf("\n") === line.length - 1),
    [true, true],
  );
  await api.server.close();
});

test("a request that a fault of the server ends is recorded at the stage Panic", async () => {
  const authorizer = (): never => {
    throw new TypeError("of the code");
  };
  const { api, events } = await startAudited({ rules: [{ level: "Metadata" }] }, { authorizer });
  assert.equal((await api.send("GET", "/api/v1/namespaces/default")).status, 500);
  const seen = events.map(({ stage, responseStatus }) => [
    stage,
    responseStatus?.reason,
    JSON.stringify(responseStatus ?? {}).includes("of the code"),
  ]);
  assert.deepEqual(seen, [
    ["RequestReceived", undefined, false],
    ["Panic", "InternalError", false],
  ]);
  await api.server.close();
});

test("where the sink is strict and keeps nothing, requests fail", async () => {
  const policy = compileAuditPolicy({ rules: [{ level: "Metadata" }] });
  const api = await startApi({ audit: { policy, sink: { process: () => false } } });
  const { status, body } = await api.send("GET", "/api/v1/namespaces/default");
  assert.deepEqual([status, body.message], [500, "Internal error occurred: failed to store audit event"]);
  await api.server.close();
});

for (const [rules, message] of [
  ["[{}]", /^Error: rules\[0\].level: Required value$/],
  ["[{level: Some}]", /^Error: rules\[0\].level: Unsupported value: "Some": supported values: /],
  [
    "[{level: None, nonResourceURLs: [a]}]",
    /rules\[0\].nonResourceURLs\[0\]: Invalid value: "a": non-resource URL rules must begin with a '\/'/,
  ],
  [
    "[{level: None, omitStages: [x]}]",
    /rules\[0\].omitStages\[0\]: Invalid value: "x": allowed stages are RequestReceived,ResponseStarted,/,
  ],
  ["[{level: None, users: admin}]", /failed decoding: .*PolicyRule.users/],
  ["[]", /loaded illegal policy with 0 rules/],
] as const) {
  test(`rejects a policy with the rules ${rules}`, async () => {
    await assert.rejects(loadAuditPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, rules: ${rules}}`), message);
  });
}

test("records what is posted to subresources and the options of deletions as Kubernetes does", async () => {
  const { api, events } = await startAudited({ rules: [{ level: "Request", omitStages: ["RequestReceived"] }] });
  const pods = "/api/v1/namespaces/default/pods";
  await api.send("POST", pods, {
    body: { metadata: { name: "p" }, spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] } },
  });
  const binding = { kind: "Binding", apiVersion: "v1", metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
  const eviction = { kind: "Eviction", apiVersion: "policy/v1", metadata: { name: "p" }, deleteOptions: { gracePeriodSeconds: 0 } };
  const shown = (options: object) => ({ kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal", ...options });
  for (const [method, target, body, expected] of [
    ["POST", `${pods}/p/binding`, binding, binding],
    ["POST", `${pods}/p/eviction`, eviction, eviction],
    [
      "DELETE",
      "/api/v1/namespaces/default/configmaps/a",
      { propagationPolicy: "Foreground", preconditions: {} },
      shown({ preconditions: {}, propagationPolicy: "Foreground" }),
    ],
    ["DELETE", "/api/v1/namespaces/default/configmaps?labelSelector=a%3Db", { gracePeriodSeconds: 0 }, shown({ gracePeriodSeconds: 0 })],
    ["DELETE", "/api/v1/namespaces/default/configmaps/a?propagationPolicy=Background", undefined, undefined],
  ] as const) {
    events.length = 0;
    await api.send(method, target, { body });
    assert.deepEqual(events.at(-1)?.requestObject, expected, `${method} ${target}`);
  }
  await api.server.close();
});

test("records more of what requests and answers say, each as kube-apiserver 1.36.3 was seen to", async () => {
  const { api, events } = await startAudited({ rules: [{ level: "RequestResponse", omitStages: ["RequestReceived"] }] });
  const of = async (method: string, target: string, sent: Sent = {}): Promise<Json[]> => {
    events.length = 0;
    await api.send(method, target, sent);
    return [...events];
  };
  const namespace = "/api/v1/namespaces/default";
  const [listed] = await of("GET", `${namespace}/endpoints`);
  assert.equal(listed?.annotations["k8s.io/deprecated"], "true");
  const [versions] = await of("GET", "/version");
  assert.deepEqual([versions?.responseStatus, versions?.responseObject], [{ metadata: {}, code: 200 }, undefined]);
  const [refused] = await of("GET", `${namespace}/configmaps`, { headers: { authorization: "Bearer wrong" } });
  assert.deepEqual([refused?.stage, refused?.responseObject?.message], ["ResponseStarted", "Unauthorized"]);

  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  await of("POST", deployments, { body: { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } } });
  const patch = { type: "application/merge-patch+json", body: { spec: { replicas: 3 } } };
  assert.deepEqual((await of("PATCH", `${deployments}/d/scale`, patch))[0]?.requestObject, patch.body);

  await of("POST", `${namespace}/serviceaccounts`, { body: { metadata: { name: "s" } } });
  const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const [issued] = await of("POST", `${namespace}/serviceaccounts/s/token`, { body: asked });
  assert.equal(issued?.requestObject.spec.expirationSeconds, 3600);
  assert.match(issued?.annotations["authentication.kubernetes.io/issued-credential-id"], /^JTI=[0-9a-f-]{36}$/);

  const pods = `${namespace}/pods`;
  const spec = { nodeName: "n1", automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] };
  await of("POST", pods, { body: { metadata: { name: "p" }, spec } });
  // What may last for as long as the client likes starts, and then ends, even where it is refused.
  for (const [target, code, message] of [
    [`${pods}/p/log`, 404, 'pods "n1" not found'],
    [`${namespace}/configmaps?watch=true&resourceVersion=zzz`, 500, undefined],
  ] as const) {
    const recorded = await of("GET", target);
    assert.deepEqual(
      recorded.map(({ stage, responseStatus, responseObject }) => [stage, responseStatus.code, responseObject.code]),
      [
        ["ResponseStarted", code, code],
        ["ResponseComplete", code, code],
      ],
    );
    if (message !== undefined) assert.equal(recorded[0]?.responseStatus.message, message);
  }
  await api.server.close();
});
