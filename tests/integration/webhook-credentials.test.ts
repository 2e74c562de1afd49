/** What webhooks are shown of the server, and the webhook for images, over HTTPS. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { AdmissionChoice, WebhookCredentials } from "@coxswain/apiserver";
import { configMap, configMaps, registration } from "./admission-webhook.ts";
import { type Api, startApi } from "./api.ts";
import { startWebhookServer, type WebhookServer } from "./webhook-server.ts";

/** Allows everything, to who has a certificate of its authority. */
const startStrictWebhook = (): Promise<WebhookServer> =>
  startWebhookServer(
    (response, { body }) => {
      const { kind, apiVersion, request } = JSON.parse(body);
      response.end(JSON.stringify({ kind, apiVersion, response: { uid: request.uid, allowed: true } }));
    },
    { ip: ["127.0.0.1"], requiresClient: true },
  );

async function configure(api: Api, kind: "Mutating" | "Validating", { port, caBundle }: WebhookServer): Promise<void> {
  const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  const clientConfig = { url: `https://127.0.0.1:${port}/`, caBundle };
  const webhook = { name: "strict.example.com", clientConfig, rules, sideEffects: "None", admissionReviewVersions: ["v1"] };
  const body = { kind: `${kind}WebhookConfiguration`, metadata: { name: "strict" }, webhooks: [webhook] };
  const { status, text } = await api.send("POST", `${registration}/${kind.toLowerCase()}webhookconfigurations`, { body });
  assert.equal(status, 201, text);
}

/** The configuration of one plugin, with a user for this webhook. */
const asUser = (kind: "Mutating" | "Validating", port: number, user: WebhookCredentials): AdmissionChoice => {
  const users = { byName: { [`127.0.0.1:${port}`]: user, "*": { token: { text: "another's" } } } };
  return { configuration: kind === "Mutating" ? { mutatingWebhooks: users } : { validatingWebhooks: users } };
};

for (const kind of ["Mutating", "Validating"] as const)
  for (const large of [false, true])
    test(`a ${kind.toLowerCase()} webhook that wants a client certificate gets it${large ? " from the other thread" : ""}`, async (t) => {
      await using webhook = await startStrictWebhook();
      const { certificate, key } = webhook.client;
      const admission = asUser(kind, webhook.port, { certificate: { text: certificate }, key: { text: key }, token: { text: "t" } });
      const api = await startApi({ admission, offload: "thread" });
      t.after(() => api.server.close());
      await configure(api, kind, webhook);
      const body = configMap("c", large ? { data: { long: "x".repeat(300_000) } } : {});
      const { status, text } = await api.send("POST", configMaps, { body });
      assert.equal(status, 201, text.slice(0, 500));
      assert.deepEqual(
        webhook.asked.map(({ client, headers }) => [client, headers.authorization]),
        [["api-server", "Bearer t"]],
      );
    });

test("a webhook that wants a client certificate is not reached without one", async (t) => {
  await using webhook = await startStrictWebhook();
  const api = await startApi();
  t.after(() => api.server.close());
  await configure(api, "Validating", webhook);
  const { status, body } = await api.send("POST", configMaps, { body: configMap("c") });
  assert.equal(status, 500);
  const call = `failed to call webhook: Post "https://127.0.0.1:${webhook.port}/?timeout=10s": `;
  assert.equal(
    body.message,
    `Internal error occurred: failed calling webhook "strict.example.com": ${call}remote error: tls: certificate required`,
  );
  assert.equal(webhook.asked.length, 0);
});

test("files of credentials are read again: a token that was replaced is shown a minute later", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "credentials-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using webhook = await startStrictWebhook();
  const [certificate, key, token] = ["tls.crt", "tls.key", "token"].map((name) => ({ path: join(folder, name) }));
  assert.ok(certificate && key && token);
  writeFileSync(certificate.path, webhook.client.certificate);
  writeFileSync(key.path, webhook.client.key);
  writeFileSync(token.path, "first\n");
  const api = await startApi({ admission: asUser("Validating", webhook.port, { certificate, key, token }) });
  t.after(() => api.server.close());
  await configure(api, "Validating", webhook);
  const create = async (name: string) => (await api.send("POST", configMaps, { body: configMap(name) })).status;
  assert.equal(await create("a"), 201);
  writeFileSync(token.path, "second\n");
  assert.equal(await create("b"), 201);
  api.clock.advance(60_000);
  assert.equal(await create("c"), 201);
  rmSync(token.path);
  api.clock.advance(60_000);
  assert.equal(await create("d"), 201);
  assert.deepEqual(
    webhook.asked.map(({ headers }) => headers.authorization),
    ["Bearer first", "Bearer first", "Bearer second", "Bearer second"],
  );
});

const secret = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----";
const wrong: readonly { name: string; user: WebhookCredentials; message: RegExp }[] = [
  {
    name: "a key that is none",
    user: { certificate: { text: "x" }, key: { text: secret } },
    message: /it and its key are no pair in PEM$/,
  },
  { name: "a file that is not there", user: { token: { path: "/nowhere/token" } }, message: /ENOENT.*'\/nowhere\/token'$/ },
];
for (const { name, user, message } of wrong)
  test(`a webhook cannot be called with ${name}, and no secret is shown`, async (t) => {
    await using webhook = await startStrictWebhook();
    const api = await startApi({ admission: asUser("Validating", webhook.port, user) });
    t.after(() => api.server.close());
    await configure(api, "Validating", webhook);
    const { status, body } = await api.send("POST", configMaps, { body: configMap("c") });
    assert.equal(status, 500);
    assert.match(body.message, message);
    assert.ok(!body.message.includes("c2VjcmV0"));
  });

const pods = "/api/v1/namespaces/default/pods";
const pod = (image: string, more: object = {}) => ({ metadata: { name: image, ...more }, spec: { containers: [{ name: "c", image }] } });

/** An image policy whose webhook wants a client certificate and takes what is not called `bad`. */
async function startWithImagePolicy(): Promise<{ readonly api: Api; readonly webhook: WebhookServer }> {
  const webhook = await startWebhookServer(
    (response, { body }) => {
      const { spec } = JSON.parse(body);
      const allowed = spec.containers.every(({ image }: { image: string }) => image !== "bad");
      const status = { allowed, ...(allowed ? {} : { reason: "bad image" }) };
      response.end(JSON.stringify({ kind: "ImageReview", apiVersion: "imagepolicy.k8s.io/v1alpha1", status }));
    },
    { dns: ["images.example"], requiresClient: true },
  );
  const { certificate, key } = webhook.client;
  const imagePolicy = {
    webhook: {
      url: `https://127.0.0.1:${webhook.port}/policy`,
      caBundle: webhook.caBundle,
      serverName: "images.example",
      isUnchecked: false,
      credentials: { certificate: { text: certificate }, key: { text: key }, username: "u", password: "p" },
    },
    ...{ allowedMs: 1_000, deniedMs: 1_000, retryBackoffMs: 1, defaultAllow: false },
  };
  const api = await startApi({ admission: { enable: ["ImagePolicyWebhook"], configuration: { imagePolicy } }, offload: "thread" });
  return { api, webhook };
}

test("ImagePolicyWebhook asks about the images of Pods", async (t) => {
  const { api, webhook } = await startWithImagePolicy();
  t.after(() => api.server.close());
  t.after(() => webhook[Symbol.asyncDispose]());
  assert.equal((await api.send("POST", pods, { body: pod("good") })).status, 201);
  const refusedPod = await api.send("POST", `${pods}?dryRun=All`, { body: pod("bad") });
  assert.equal(refusedPod.status, 403);
  const why = "image policy webhook backend denied one or more images: bad image";
  assert.equal(refusedPod.body.message, `pods "bad" is forbidden: ${why}`);
  const ephemeral = { spec: { ephemeralContainers: [{ name: "e", image: "bad" }] } };
  const type = "application/strategic-merge-patch+json";
  const { status, body } = await api.send("PATCH", `${pods}/good/ephemeralcontainers`, { body: ephemeral, type });
  assert.deepEqual([status, body.message], [403, `pods "good" is forbidden: ${why}`]);
  const large = await api.send("POST", pods, { body: pod("bad", { annotations: { long: "x".repeat(200_000) } }) });
  assert.deepEqual([large.status, large.body.message], [403, `pods "bad" is forbidden: ${why}`]);
  const asked = webhook.asked.map(({ url, headers, client, body: sent }) => [url, headers.authorization, client, JSON.parse(sent).spec]);
  const basic = `Basic ${btoa("u:p")}`;
  const about = (image: string) => ["/policy?timeout=30s", basic, "api-server", { containers: [{ image }], namespace: "default" }];
  // The ephemeral container's question is one that has its answer; the other thread keeps answers of its own.
  assert.deepEqual(asked, [about("good"), about("bad"), about("bad")]);
});
