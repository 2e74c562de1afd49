/** How long Events live where their end is etcd's: asked of etcd itself, for nobody waits an hour. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { events } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { startCommand } from "../conformance/command-under-test.ts";
import { startEtcd, whyNoEtcd } from "../etcd-server.ts";

const involvedObject = { kind: "Pod", namespace: "default", name: "web" };

test("an Event has a lease of an hour, and a new one with each write", { skip: whyNoEtcd() ?? false }, async () => {
  await using etcd = await startEtcd();
  await using ends = new AsyncDisposableStack();
  const command = await startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, "--etcd-prefix=/registry");
  ends.defer(async () => void (await command.stop()));
  await using client = await clientFromKubeconfig({ paths: [command.kubeconfig], fieldManager: "test" });
  const made = client.resource(events, "default");
  await made.create({ metadata: { name: "started" }, involvedObject, reason: "Started", type: "Normal" });
  const key = "/registry/events/default/started";
  const first = await leaseOf(etcd.url, key);
  // As kube-apiserver, which lets Events that end at about the same time share a lease: that lives up to a minute longer.
  assert.ok(first.grantedSeconds >= 3600 && first.grantedSeconds <= 3660, `${first.grantedSeconds} seconds`);
  await made.patch("started", { type: "merge", patch: { count: 2 } });
  assert.notEqual((await leaseOf(etcd.url, key)).id, "0");
});

interface Lease {
  readonly id: string;
  readonly grantedSeconds: number;
}

/** Of a key. */
async function leaseOf(url: string, key: string): Promise<Lease> {
  const { kvs = [] } = await ask<{ kvs?: { lease?: string }[] }>(url, "kv/range", { key: Buffer.from(key).toString("base64") });
  const id = kvs[0]?.lease ?? "0";
  const { grantedTTL = "0" } = await ask<{ grantedTTL?: string }>(url, "lease/timetolive", { ID: id });
  return { id, grantedSeconds: Number(grantedTTL) };
}

/** By etcd's gateway for JSON. */
async function ask<T>(url: string, method: string, request: object): Promise<T> {
  const answer = await fetch(`${url}/v3/${method}`, { method: "POST", body: JSON.stringify(request) });
  assert.equal(answer.status, 200);
  return (await answer.json()) as T;
}
