/** The real command asks authorizers in the order of an AuthorizationConfiguration, with kubectl as whoever asks. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { serversUnderTest } from "../store-options.ts";
import { type CommandUnderTest, mainFile, startCommand } from "./command-under-test.ts";
import { type ReviewWebhookUnderTest, startReviewWebhook } from "./review-webhook.ts";

const directory = mkdtempSync(join(tmpdir(), "coxswain-authorization-config-"));
const configFile = join(directory, "authorization.yaml");
const kubeConfigFile = join(directory, "webhook.kubeconfig");

const configurationOf = (...authorizers: readonly object[]): string =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers });
const rbac = { type: "RBAC", name: "rbac" };
const hook = (name: string, ...expressions: readonly string[]): object => ({
  type: "Webhook",
  name,
  webhook: {
    timeout: "3s",
    authorizedTTL: "1ns",
    unauthorizedTTL: "1ns",
    subjectAccessReviewVersion: "v1",
    matchConditionSubjectAccessReviewVersion: "v1",
    failurePolicy: "Deny",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile },
    matchConditions: expressions.map((expression) => ({ expression })),
  },
});
const aboutSecrets = "has(request.resourceAttributes) && request.resourceAttributes.resource == 'secrets'";

const hashOf = (text: string): string => `sha256:${hash("sha256", text, "hex")}`;

describe("--authorization-config", { concurrency: 1 }, () => {
  let webhook: ReviewWebhookUnderTest;
  let command: CommandUnderTest;

  before(async () => {
    webhook = await startReviewWebhook(kubeConfigFile, ({ spec: { user } }) => ({ allowed: user === "jane", denied: user === "eve" }));
    writeFileSync(configFile, configurationOf(hook("guard", aboutSecrets), rbac));
    command = await startCommand("--ephemeral", `--authorization-config=${configFile}`);
    await kubectl("create", "clusterrole", "readers", "--verb=get,list", "--resource=pods,secrets");
    await kubectl("create", "clusterrolebinding", "readers", "--clusterrole=readers", "--user=eve");
  });
  after(async () => {
    assert.equal(await command.stop(), 0);
    await webhook.close();
    rmSync(directory, { recursive: true });
  });

  /** What it prints, also when it fails. The webhook answers in this process meanwhile. */
  async function kubectl(...args: readonly string[]): Promise<string> {
    const flags = ["--server", command.server, "--token", command.token, "--insecure-skip-tls-verify", "--kubeconfig", "/dev/null"];
    const child = spawn("kubectl", [...args, ...flags]);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return `${stdout}${stderr}`;
  }

  test("asks the webhook first, about what its conditions match, with the selectors of the request", async () => {
    webhook.asked.length = 0;
    assert.match(await kubectl("get", "secrets", "-l", "a=b,c", "--field-selector=type=Opaque", "--as=jane"), /No resources found/);
    const [{ spec } = { spec: {} }] = webhook.asked;
    assert.deepEqual(spec.resourceAttributes, {
      ...{ namespace: "default", verb: "list", version: "v1", resource: "secrets" },
      fieldSelector: { requirements: [{ key: "type", operator: "In", values: ["Opaque"] }] },
      labelSelector: {
        requirements: [
          { key: "a", operator: "In", values: ["b"] },
          { key: "c", operator: "Exists" },
        ],
      },
    });
    assert.match(await kubectl("get", "secrets", "--as=eve"), /User "eve" cannot list resource "secrets"/);
    assert.match(await kubectl("get", "pods", "--as=eve"), /No resources found/);
    assert.equal(webhook.asked.length, 2);
  });

  test("answers questions about access by the same chain", async () => {
    assert.match(await kubectl("auth", "can-i", "get", "secrets", "--as=jane"), /^yes/);
    assert.match(await kubectl("auth", "can-i", "get", "secrets", "--as=eve"), /^no/);
    assert.match(await kubectl("auth", "can-i", "get", "pods", "--as=eve"), /^yes/);
  });

  test("counts decisions by authorizer, and what conditions exclude", async () => {
    const metrics = await kubectl("get", "--raw", "/metrics");
    for (const name of [
      'apiserver_authorization_decisions_total{type="Webhook",name="guard",decision="allowed"}',
      'apiserver_authorization_decisions_total{type="Webhook",name="guard",decision="denied"}',
      'apiserver_authorization_decisions_total{type="RBAC",name="rbac",decision="allowed"}',
      'apiserver_authorization_match_condition_exclusions_total{type="Webhook",name="guard"}',
      'apiserver_authorization_webhook_evaluations_total{name="guard",result="success"}',
    ])
      assert.ok(metrics.includes(name), name);
  });

  // Of several servers each follows the file, and the first to have done so says it in the log.
  const skip = serversUnderTest() > 1 ? "it is asked of another server than that which has said so" : false;

  test("follows the file, and keeps what it has when the file is broken", { skip }, async () => {
    writeFileSync(configFile, configurationOf({ type: "Node", name: "node" }, rbac));
    await waitUntil("the broken file is reported", () => command.log().includes("authorizer type Node is not allowed"));
    assert.match(await kubectl("get", "secrets", "--as=eve"), /User "eve" cannot list/);
    writeFileSync(configFile, configurationOf(hook("guard", aboutSecrets)));
    await waitUntil("the file that lacks RBAC is reported", () => command.log().includes("missing required types: [RBAC]"));
    writeFileSync(configFile, configurationOf(hook("guard", "request.user == 'nobody'"), { type: "AlwaysDeny", name: "alwaysdeny" }, rbac));
    await waitUntil("it is reloaded", () => command.log().includes("reloaded --authorization-config"));
    assert.match(await kubectl("get", "secrets", "--as=eve"), /No resources found/);
    assert.match(await kubectl("get", "pods", "--as=joe"), /Everything is forbidden/);
    assert.match(await kubectl("get", "pods"), /No resources found/);
  });

  test("counts what became of changed files, and says which one counts", { skip }, async () => {
    const metrics = await kubectl("get", "--raw", "/metrics");
    const [series, server] = [`apiserver_authorization_config_controller`, `apiserver_id_hash="${hashOf(hostname())}"`];
    for (const line of [
      `${series}_automatic_reloads_total{${server},status="failure"} 2`,
      `${series}_automatic_reloads_total{${server},status="success"} 1`,
      `${series}_last_config_info{${server},hash="${hashOf(readFileSync(configFile, "utf8"))}"} 1`,
    ])
      assert.ok(metrics.includes(line), line);
    assert.match(metrics, /_automatic_reload_last_timestamp_seconds\{.*,status="success"\} \d+\.\d+/);
  });
});

const contradictions = [
  {
    args: ["--authorization-config=a", "--authorization-mode=RBAC"],
    says: "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
  },
  {
    args: ["--authorization-config=a", "--authorization-webhook-version=v1"],
    says: "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
  },
  { args: ["--authorization-mode=Webhook"], says: "authorization-mode Webhook's authorization config file not passed" },
  { args: [`--authorization-config=${join(directory, "missing")}`], says: "cannot use --authorization-config" },
  { args: ["--authorization-webhook-config-file=x"], says: "cannot specify --authorization-webhook-config-file without mode Webhook" },
];
for (const { args, says } of contradictions) {
  test(`${args.map((arg) => arg.replace(directory, "")).join(" ")} ends with 1`, () => {
    const { status, stderr } = spawnSync(process.execPath, [mainFile, "--ephemeral", "--apiserver-only", "--port=0", ...args], {
      encoding: "utf8",
    });
    assert.equal(status, 1);
    assert.ok(stderr.includes(says), stderr);
  });
}
