/** Webhooks that do what no webhook should. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { allowed, configMap, configMaps, mergePatch, patched, registration, startWithWebhook } from "./admission-webhook.ts";
import { startApi } from "./api.ts";
import { certificateFor, startWebhookServer } from "./webhook-server.ts";

const failed = (why: string): string => `Internal error occurred: failed calling webhook "hook-0.example.com": ${why}`;

test("an answer without an end is left at its limit", async () => {
  await using at = await startWithWebhook();
  let sent = 0;
  let ended = false;
  at.respond = (response) => {
    const chunk = Buffer.alloc(1024 * 1024, " ");
    response.on("close", () => (ended = true));
    const more = (): void => {
      while (!ended) {
        sent += chunk.byteLength;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
    };
    more();
  };
  await at.configure("Validating", {});
  const { status, body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  assert.equal(status, 500);
  assert.equal(body.message, failed("failed to call webhook: the response is larger than 16777216 bytes"));
  await waitUntil("the connection is closed", () => ended);
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were sent`);
});

test("a patch that doubles what it has copied is refused before it is large", async () => {
  await using at = await startWithWebhook(() =>
    patched(
      { op: "add", path: "/data/a", value: "x".repeat(1000) },
      ...Array.from({ length: 30 }, (_, i) => ({ op: "copy", from: "", path: `/c${i}` })),
    ),
  );
  await at.configure("Mutating", {});
  const { status, body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  assert.equal(status, 500);
  assert.match(body.message, /^Internal error occurred: copy operation does not apply/);
});

test("a patch of more operations than a client's may have is refused", async () => {
  await using at = await startWithWebhook(() =>
    patched(...Array.from({ length: 10_001 }, () => ({ op: "add", path: "/data/b", value: "c" }))),
  );
  await at.configure("Mutating", {});
  const { status, body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  assert.equal(status, 500);
  assert.match(body.message, /allowed maximum operations in a JSON patch is 10000/);
});

test("keys of the language's own objects are keys like any other", async () => {
  await using at = await startWithWebhook(() => ({
    ...patched(
      { op: "add", path: "/data/__proto__", value: "p" },
      { op: "add", path: "/data/constructor", value: "c" },
      { op: "add", path: "/__proto__", value: { polluted: "yes" } },
    ),
    auditAnnotations: JSON.parse('{"__proto__":"p","constructor":"c"}'),
    warnings: ["__proto__"],
  }));
  await at.configure("Mutating", {});
  const { text, body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  assert.deepEqual(Object.entries(body.data).sort(), [
    ["__proto__", "p"],
    ["a", "1"],
    ["constructor", "c"],
  ]);
  assert.doesNotMatch(text, /polluted/);
  assert.equal("polluted" in {}, false);
});

test("a webhook that writes what it is asked about is asked again, and the write succeeds on what is there then", async () => {
  await using at = await startWithWebhook();
  await at.api.send("POST", configMaps, { body: configMap("a") });
  let writes = 0;
  at.decide = async () => {
    if (writes++ === 0) await at.api.send("PATCH", `${configMaps}/a`, { type: mergePatch, body: { data: { inner: "1" } } });
    return allowed;
  };
  await at.configure("Validating", {});
  const { status, body } = await at.api.send("PATCH", `${configMaps}/a`, { type: mergePatch, body: { data: { outer: "1" } } });
  assert.deepEqual([status, body.data], [200, { a: "1", inner: "1", outer: "1" }]);
});

test("a webhook that is asked about its own writes without end ends with its timeout, and the server goes on", async () => {
  await using at = await startWithWebhook();
  let depth = 0;
  at.decide = async () => {
    depth++;
    await at.api.send("POST", configMaps, { body: configMap(`a-${depth}`) });
    return allowed;
  };
  await at.configure("Validating", { timeoutSeconds: 5 });
  const outer = at.api.send("POST", configMaps, { body: configMap("a") });
  await waitUntil("no further call is under way", () => depth === 100);
  assert.equal((await at.api.send("GET", configMaps)).status, 200);
  at.api.clock.advance(5000);
  const { status, body } = await outer;
  assert.equal(status, 500);
  assert.match(body.message, /context deadline exceeded$/);
  await at.api.send("DELETE", `${registration}/validatingwebhookconfigurations/validating`);
  assert.equal((await at.api.send("POST", configMaps, { body: configMap("b") })).status, 201);
});

test("a server starts with a webhook for everything that never answers, which can then be deleted", async () => {
  await using at = await startWithWebhook(() => undefined);
  const everything = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
  await at.configure("Validating", { rules: everything });
  await at.configure("Mutating", { rules: everything });
  const next = await startApi({ store: at.api.store });
  for (const kind of ["validating", "mutating"]) {
    const { status } = await next.send("DELETE", `${registration}/${kind}webhookconfigurations/${kind}`);
    assert.equal(status, 200);
  }
  assert.equal((await next.send("POST", configMaps, { body: configMap("a") })).status, 201);
  await next.server.close();
});

test("a redirect is not followed, wherever it leads", async () => {
  await using at = await startWithWebhook();
  let visits = 0;
  await using other = await startWebhookServer((response) => {
    visits++;
    response.end("{}");
  });
  for (const status of [301, 302, 307, 308]) {
    at.respond = (response) => response.writeHead(status, { location: `https://127.0.0.1:${other.port}/` }).end();
    if (status === 301) await at.configure("Validating", {});
    assert.equal((await at.api.send("POST", configMaps, { body: configMap("a") })).status, 500);
  }
  assert.equal(visits, 0);
});

test("a webhook at the server itself is a request without credentials, and changes nothing there", async () => {
  const authenticators = [() => ({ kind: "unclaimed" as const })];
  const { cert, key, caBundle } = certificateFor({ ip: ["127.0.0.1"] });
  const open = await startApi({ tls: { cert, key: String(key) }, authenticators });
  const { port } = await open.server.listen(0, "127.0.0.1");
  await using at = await startWithWebhook();
  for (const path of ["/api/v1/namespaces", `${registration}/validatingwebhookconfigurations`, "/healthz", "/"]) {
    await at.configure("Validating", { clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle } });
    const { status } = await at.api.send("POST", configMaps, { body: configMap("a") });
    assert.equal(status, 500, path);
    await at.api.send("DELETE", `${registration}/validatingwebhookconfigurations/validating`);
  }
  assert.deepEqual((await open.store.list("/registry/validatingwebhookconfigurations/")).entries, []);
  await open.server.close();
});

const garbage = {
  "half a review": '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"',
  "a review of a review of a review": `${'{"response":'.repeat(20_000)}null${"}".repeat(20_000)}`,
  "lists in lists": `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  "a number without an end": `{"response":${"9".repeat(100_000)}}`,
  "YAML that multiplies": [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ..."bcdefgh".split("").map((key, i) => `${key}: &${key} [${Array(9).fill(`*${"abcdefg"[i]}`).join()}]`),
  ].join("\n"),
  "no text": "\u0000\ufffd\u0001",
};
for (const [name, text] of Object.entries(garbage))
  test(`${name} is no answer, and leaves the server as it was`, async () => {
    await using at = await startWithWebhook();
    at.respond = (response) => void response.end(text);
    await at.configure("Mutating", {});
    const { status, body } = await at.api.send("POST", configMaps, { body: configMap("a") });
    assert.equal(status, 500);
    assert.match(body.message, /^Internal error occurred: failed calling webhook "hook-0.example.com": /);
    assert.equal((await at.api.send("GET", `${configMaps}/a`)).status, 404);
  });

test("a refusal's own status cannot be a success, nor a code that HTTP does not have", async () => {
  for (const [code, answered] of [
    [200, 400],
    [0, 400],
    [-1, 400],
    [451, 451],
    [599, 599],
    [600, 400],
    [1e9, 400],
    [403.5, 400],
  ]) {
    await using at = await startWithWebhook(() => ({ allowed: false, status: { code, status: "Success" } }));
    await at.configure("Validating", {});
    const { status, body } = await at.api.send("POST", configMaps, { body: configMap("a") });
    assert.deepEqual([status, body.code, body.status], [answered, answered, "Failure"], `${code}`);
  }
});

test("a webhook cannot move an object, nor give it another name, uid or time than the server does", async () => {
  await using at = await startWithWebhook(() =>
    patched(
      { op: "add", path: "/metadata/uid", value: "mine" },
      { op: "add", path: "/metadata/creationTimestamp", value: "2001-01-01T00:00:00Z" },
      { op: "add", path: "/metadata/deletionTimestamp", value: "2001-01-01T00:00:00Z" },
      { op: "add", path: "/metadata/generation", value: 99 },
    ),
  );
  await at.configure("Mutating", {});
  const { body } = await at.api.send("POST", configMaps, { body: configMap("a") });
  const { uid, creationTimestamp, deletionTimestamp } = body.metadata;
  assert.notEqual(uid, "mine");
  assert.notEqual(creationTimestamp, "2001-01-01T00:00:00Z");
  assert.equal(deletionTimestamp, undefined);
  at.decide = () => patched({ op: "replace", path: "/metadata/namespace", value: "kube-system" });
  const { status } = await at.api.send("POST", configMaps, { body: configMap("b") });
  assert.equal(status, 400);
  at.decide = () => patched({ op: "replace", path: "/metadata/name", value: "other" });
  assert.equal((await at.api.send("PATCH", `${configMaps}/a`, { type: mergePatch, body: { data: { b: "1" } } })).status, 422);
});

test("the thread for large requests asks webhooks as the others do, as they are configured at that moment", async () => {
  await using at = await startWithWebhook(
    () => patched({ op: "add", path: "/data/seen", value: "yes" }),
    await startApi({ offload: "thread" }),
  );
  const large = { data: { long: "x".repeat(100_000) } };
  const before = await at.api.send("POST", configMaps, { body: configMap("a", large) });
  assert.equal(before.body.data.seen, undefined);
  await at.configure("Mutating", {});
  const during = await at.api.send("POST", configMaps, { body: configMap("b", large) });
  assert.equal(during.body.data.seen, "yes");
  await at.api.send("DELETE", `${registration}/mutatingwebhookconfigurations/mutating`);
  const after = await at.api.send("POST", configMaps, { body: configMap("c", large) });
  assert.equal(after.body.data.seen, undefined);
  const { text } = await at.api.send("GET", "/metrics");
  assert.match(text, /^apiserver_admission_webhook_request_total\{name="hook-0.example.com",[^}]*code="200",rejected="false"\} 1$/m);
});
