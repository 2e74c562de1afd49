import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { configureAdmission } from "./admission-config.ts";
import { webhookKubeconfigs } from "./webhook-kubeconfigs.ts";

const cluster = { server: "https://images.example/policy", "certificate-authority": "ca.crt", "tls-server-name": "other" };
const users = [
  { name: "hooks.example:8443", user: { "client-certificate": "a.crt", "client-key-data": "S0VZ" } },
  { name: "*", user: { tokenFile: "token", token: "older" } },
  { name: "basic", user: { username: "u", password: "p" } },
];

function kubeconfigIn(t: TestContext, more: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "webhooks-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const contexts = [{ name: "c", context: { cluster: "images", user: "basic" } }];
  const config = { clusters: [{ name: "images", cluster }], users, contexts, "current-context": "c", ...more };
  writeFileSync(join(folder, "config"), JSON.stringify(config));
  writeFileSync(join(folder, "ca.crt"), "CA");
  return join(folder, "config");
}

test("users of a kubeconfig are credentials by their names, in files relative to it", async (t) => {
  const path = kubeconfigIn(t);
  const { byName, current } = await webhookKubeconfigs.users(path);
  const [first, others] = [byName["hooks.example:8443"], byName["*"]];
  assert.deepEqual(first?.certificate, { path: join(path, "../a.crt") });
  assert.deepEqual(first?.key, { text: "KEY" });
  assert.deepEqual(others?.token, { path: join(path, "../token"), text: "older" });
  assert.deepEqual([current?.username, current?.password], ["u", "p"]);
});

test("the current context of a kubeconfig says where a webhook is", async (t) => {
  const { url, caBundle, serverName, isUnchecked, credentials } = await webhookKubeconfigs.access(kubeconfigIn(t));
  assert.deepEqual([url, caBundle, serverName, isUnchecked], ["https://images.example/policy", "Q0E=", "other", false]);
  assert.equal(credentials.username, "u");
});

const exec = { command: "login", apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" };
const unsupported = [
  { user: { exec }, message: 'user "x" has its credentials from a program, which is not supported at webhooks' },
  { user: { as: "jane" }, message: 'user "x" impersonates another, which is not supported at webhooks' },
  { user: { "auth-provider": { name: "gcp" } }, message: "auth provider not supported" },
];
for (const { user, message } of unsupported)
  test(`a kubeconfig for webhooks is refused: ${message}`, async (t) => {
    await assert.rejects(webhookKubeconfigs.users(kubeconfigIn(t, { users: [{ name: "x", user }] })), { message });
  });

test("an admission configuration names the kubeconfig", async (t) => {
  const kubeConfigFile = kubeconfigIn(t);
  const file = join(kubeConfigFile, "../admission.json");
  const plugins = [
    { name: "ImagePolicyWebhook", configuration: { imagePolicy: { kubeConfigFile, allowTTL: 9 } } },
    {
      name: "ValidatingAdmissionWebhook",
      configuration: { apiVersion: "apiserver.config.k8s.io/v1", kind: "WebhookAdmissionConfiguration", kubeConfigFile },
    },
  ];
  writeFileSync(file, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }));
  const { configuration } = await configureAdmission({ enable: ["ImagePolicyWebhook"] }, file);
  assert.equal(configuration?.imagePolicy?.webhook.url, "https://images.example/policy");
  assert.equal(configuration?.imagePolicy?.allowedMs, 9_000);
  assert.deepEqual(
    Object.keys(configuration?.validatingWebhooks?.byName ?? {}),
    users.map(({ name }) => name),
  );
  assert.equal(configuration?.mutatingWebhooks, undefined);
});
