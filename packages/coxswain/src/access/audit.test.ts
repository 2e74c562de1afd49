/** Events reach a webhook over HTTP, and the log, as the options want it. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { Metrics } from "@coxswain/apiserver";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { auditSettingsOf } from "../options/audit-options.ts";
import { openAudit } from "./audit.ts";

test("what is recorded reaches the webhook and the log by the end, at the latest", async () => {
  const posted: { readonly url: string | undefined; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    posted.push({ url: request.url, body: await text(request) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "coxswain-audit-"));
  try {
    const [policy, kubeconfig, path] = [join(folder, "policy.yaml"), join(folder, "webhook.kubeconfig"), join(folder, "audit.log")];
    writeFileSync(policy, "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
    const named = { clusters: [{ name: "c", cluster: { server: url } }], users: [{ name: "u", user: {} }] };
    const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
    writeFileSync(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "Config", ...named, contexts, "current-context": "c" }));
    const flags = new Map([
      ["audit-policy-file", policy],
      ["audit-webhook-config-file", kubeconfig],
      ["audit-log-path", path],
    ]);
    const settings = auditSettingsOf((flag) => flags.get(flag), assert.fail);
    const fail = (_fields: object, message: string): never => assert.fail(message);
    const log = { debug() {}, info() {}, warn: fail, error: fail };
    const metrics = new Metrics({ startedAt: 0, serverId: "test" });
    const audit = await openAudit(settings, { clock: systemClock, random: systemRandom, log, metrics });
    const event = '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1"}\n';
    assert.equal(audit.server.audit?.sink.process(event, "ResponseComplete"), true);
    await audit[Symbol.asyncDispose]();
    assert.equal(readFileSync(path, "utf8"), event);
    const items = [{ level: "Metadata", auditID: "1" }];
    assert.deepEqual(
      posted.map(({ url: at, body }) => [at, JSON.parse(body)]),
      [["/events", { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items }]],
    );
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});
