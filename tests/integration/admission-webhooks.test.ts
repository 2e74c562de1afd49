/** When and how often webhooks are asked, and what others notice of that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { allowed, configMap, configMaps, mergePatch, patched, registration, startWithWebhook } from "./admission-webhook.ts";
import type { Json } from "./api.ts";

const denied = (message: string): Json => ({ allowed: false, status: { message } });

test("a configuration is in force with the answer to its write, and no longer with that to its deletion", async () => {
  await using at = await startWithWebhook(() => denied("no"));
  await at.configure("Validating", {});
  const { status, body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  assert.deepEqual([status, body.message], [400, 'admission webhook "hook-0.example.com" denied the request: no']);
  await at.api.send("DELETE", `${registration}/validatingwebhookconfigurations/validating`);
  assert.equal((await at.api.send("POST", configMaps, { body: configMap("a") })).status, 201);
  assert.equal(at.asked.length, 1);
});

test("mutating webhooks are asked in the order of their names, each with what those before it have made", async () => {
  await using at = await startWithWebhook(({ object }, path) =>
    patched({ op: "add", path: `/data${path}`, value: Object.keys(object.data).join() }),
  );
  await at.configure("Mutating", { name: "b.example.com" }, { name: "a.example.com" });
  const { body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  assert.deepEqual(body.data, { a: "1", "b.example.com": "a", "a.example.com": "a,b.example.com" });
});

test("a webhook that wants it is asked once more when another has changed the object since, and none that does not", async () => {
  await using at = await startWithWebhook(({ object }, path) =>
    patched({ op: "add", path: `/data${path}`, value: `${Number(object.data[path.slice(1)] ?? 0) + 1}` }),
  );
  await at.configure(
    "Mutating",
    { name: "early.example.com", reinvocationPolicy: "IfNeeded" },
    { name: "never.example.com" },
    { name: "last.example.com", reinvocationPolicy: "IfNeeded" },
  );
  const { body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  assert.deepEqual(body.data, { a: "1", "early.example.com": "2", "never.example.com": "1", "last.example.com": "2" });
});

test("the server's own plugins see what a webhook has added", async () => {
  await using at = await startWithWebhook(() => patched({ op: "add", path: "/spec/containers/-", value: { name: "side", image: "i" } }));
  const limits = [{ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" } }];
  await at.api.send("POST", "/api/v1/namespaces/default/limitranges", { body: { metadata: { name: "l" }, spec: { limits } } });
  await at.configure("Mutating", { rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }] });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "main", image: "i" }] } };
  const { body } = await at.api.send("POST", "/api/v1/namespaces/default/pods", { body: pod });
  assert.deepEqual(
    body.spec.containers.map((container: Json) => [container.name, container.resources.requests]),
    [
      ["main", { cpu: "100m" }],
      ["side", { cpu: "100m" }],
    ],
  );
});

test("validating webhooks are asked all at once, and what mutating ones have made", async () => {
  await using at = await startWithWebhook();
  const all = Promise.withResolvers<void>();
  at.decide = async ({ object }, path) => {
    if (path === "/mutates") return patched({ op: "add", path: "/data/b", value: "2" });
    assert.deepEqual(object.data, { a: "1", b: "2" });
    if (at.asked.length === 4) all.resolve();
    await all.promise;
    return allowed;
  };
  await at.configure("Mutating", { clientConfig: { url: `${at.url}/mutates`, caBundle: at.caBundle } });
  await at.configure("Validating", {}, {}, {});
  assert.equal((await at.api.send("POST", configMaps, { body: configMap("a") })).status, 201);
});

test("a slow webhook holds up only what it is asked about, not others who write the same object", async () => {
  await using at = await startWithWebhook();
  await at.api.send("POST", configMaps, { body: configMap("a") });
  const released = Promise.withResolvers<void>();
  at.decide = async ({ object }) => {
    if (object.data.slow !== undefined) await released.promise;
    return allowed;
  };
  await at.configure("Validating", {});
  const slow = at.api.send("PATCH", `${configMaps}/a`, { type: mergePatch, body: { data: { slow: "1" } } });
  await waitUntil("the webhook is asked", () => at.asked.length === 1);
  assert.equal((await at.api.send("PATCH", `${configMaps}/a`, { type: mergePatch, body: { data: { quick: "1" } } })).status, 200);
  released.resolve();
  assert.deepEqual((await slow).body.data, { a: "1", quick: "1", slow: "1" });
  // What it was asked about was not what is there now: it is asked again.
  assert.equal(at.asked.filter(({ object }) => object.data.slow !== undefined).length, 2);
});

for (const failurePolicy of ["Fail", "Ignore"])
  test(`a webhook that does not answer in time fails, and with the policy ${failurePolicy} ${failurePolicy === "Fail" ? "refuses" : "is passed over"}`, async () => {
    await using at = await startWithWebhook(() => undefined);
    await at.configure("Validating", { timeoutSeconds: 7, failurePolicy });
    const creating = at.api.send("POST", configMaps, { body: configMap("a") });
    await waitUntil("the webhook is asked", () => at.asked.length === 1);
    at.api.clock.advance(7000);
    const { status, body } = await creating;
    if (failurePolicy === "Ignore") assert.equal(status, 201);
    else {
      const why = `failed calling webhook "hook-0.example.com": failed to call webhook: Post "${at.url}/0?timeout=7s": context deadline exceeded`;
      assert.deepEqual([status, body.reason, body.message], [500, "InternalError", `Internal error occurred: ${why}`]);
    }
    assert.equal((await at.api.send("GET", `${configMaps}/a`)).status, failurePolicy === "Ignore" ? 200 : 404);
  });

test("a webhook is asked about each object that a collection's deletion deletes", async () => {
  await using at = await startWithWebhook();
  for (const name of ["a", "b", "c"]) await at.api.send("POST", configMaps, { body: configMap(name) });
  at.decide = ({ oldObject }) => (oldObject.metadata.name === "b" ? denied("kept") : allowed);
  await at.configure("Validating", {
    rules: [{ operations: ["DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
  });
  const { status, body } = await at.api.send("DELETE", configMaps);
  assert.deepEqual([status, body.message], [400, 'admission webhook "hook-0.example.com" denied the request: kept']);
  await waitUntil("all are asked about", () => at.asked.length === 3);
  assert.deepEqual(at.asked.map(({ oldObject }) => oldObject.metadata.name).sort(), ["a", "b", "c"]);
  assert.equal((await at.api.send("GET", `${configMaps}/b`)).status, 200);
});

test("a webhook is asked about a connection before the server looks where it leads", async () => {
  await using at = await startWithWebhook(() => denied("nobody runs anything here"));
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "main", image: "i" }] } };
  await at.api.send("POST", "/api/v1/namespaces/default/pods", { body: pod });
  await at.configure("Validating", { rules: [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/*"] }] });
  for (const [subresource, kind] of [
    ["exec?command=ls", "PodExecOptions"],
    ["attach", "PodAttachOptions"],
    ["portforward", "PodPortForwardOptions"],
  ]) {
    const { body } = await at.api.send("POST", `/api/v1/namespaces/default/pods/p/${subresource}`);
    assert.equal(body.message, 'admission webhook "hook-0.example.com" denied the request: nobody runs anything here');
    assert.equal(at.asked.at(-1).object.kind, kind);
  }
});

test("a webhook's Service leads to one of its endpoints", async () => {
  await using at = await startWithWebhook(() => denied("by Service"));
  const port = Number(new URL(at.url).port);
  await at.api.send("POST", "/api/v1/namespaces/default/services", {
    body: { metadata: { name: "hook" }, spec: { ports: [{ port: 443, targetPort: port }] } },
  });
  const slice = {
    metadata: { name: "hook-1", labels: { "kubernetes.io/service-name": "hook" } },
    addressType: "FQDN",
    ports: [{ name: "", port }],
    endpoints: [{ addresses: ["localhost.example.com"] }],
  };
  await at.api.send("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", { body: slice });
  await at.configure("Validating", { clientConfig: { service: { namespace: "default", name: "hook" }, caBundle: at.caBundle } });
  const { body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  // The name leads nowhere: what counts is that it was looked for.
  assert.match(
    body.message,
    /failed calling webhook "hook-0.example.com": failed to call webhook: Post "https:\/\/hook.default.svc:443\/\?timeout=10s": dial tcp: lookup localhost.example.com/,
  );
});

test("conditions say what a webhook is not asked about, and what they cannot judge is refused", async () => {
  await using at = await startWithWebhook(() => denied("asked"));
  await at.configure("Validating", { matchConditions: [{ name: "urgent", expression: "object.data.urgent == 'yes'" }] });
  const send = async (data: Json): Promise<Json> => (await at.api.send("POST", configMaps, { body: configMap("a", { data }) })).body;
  assert.equal((await send({ urgent: "yes" })).message, 'admission webhook "hook-0.example.com" denied the request: asked');
  assert.equal(
    (await send({ other: "1" })).message,
    `configmaps "a" is forbidden: expression 'object.data.urgent == 'yes'' resulted in error: no such key: urgent`,
  );
  assert.equal((await send({ urgent: "no" })).kind, "ConfigMap");
  assert.equal(at.asked.length, 1);
  const { text } = await at.api.send("GET", "/metrics");
  const labels = 'name="hook-0.example.com",type="validating",operation="CREATE",kind="webhook"';
  assert.ok(text.includes(`apiserver_admission_match_condition_exclusions_total{${labels}} 1\n`));
});

test("the metrics count each webhook's answers, rejections and failures", async () => {
  await using at = await startWithWebhook();
  at.decide = ({ object }) => (object.data.refuse === undefined ? allowed : { allowed: false, status: { code: 403 } });
  await at.configure("Validating", { failurePolicy: "Ignore" });
  await at.api.send("POST", configMaps, { body: configMap("a") });
  await at.api.send("POST", configMaps, { body: configMap("b", { data: { refuse: "1" } }) });
  at.respond = (response) => void response.end("nonsense");
  await at.api.send("POST", configMaps, { body: configMap("c") });
  const { text } = await at.api.send("GET", "/metrics");
  const lines = text.split("\n");
  const labels = 'name="hook-0.example.com",type="validating"';
  for (const line of [
    `apiserver_admission_webhook_request_total{${labels},operation="CREATE",code="200",rejected="false"} 1`,
    `apiserver_admission_webhook_request_total{${labels},operation="CREATE",code="403",rejected="true"} 1`,
    `apiserver_admission_webhook_rejection_count{${labels},operation="CREATE",error_type="no_error",rejection_code="403"} 1`,
    `apiserver_admission_webhook_fail_open_count{${labels}} 1`,
    `apiserver_admission_webhook_admission_duration_seconds_count{${labels},operation="CREATE",rejected="false"} 2`,
  ])
    assert.ok(lines.includes(line), line);
});
