import assert from "node:assert/strict";
import { once } from "node:events";
import { type Duplex, duplexPair } from "node:stream";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { HttpRequest } from "../contracts/http.ts";
import { WebhookCaller } from "../webhooks/webhook-caller.ts";
import { Kubelets } from "./kubelets.ts";

const route = {
  target: { scheme: "https", host: "10.0.0.1", port: 10250, listens: false },
  node: "node-1",
  path: "/portForward/ops/hook/1?port=443",
} as const;

/** A kubelet that reads what it is asked and says nothing. */
function silentKubelet() {
  const clock = new ManualClock();
  const [ours, theirs] = duplexPair();
  const kubelets = new Kubelets({ connect: (): Duplex => ours }, clock);
  return { clock, kubelets, theirs, asked: once(theirs, "data"), closed: new Promise((resolve) => ours.once("close", resolve)) };
}

test("a webhook behind a kubelet that does not answer is given up in the webhook's time", async () => {
  const { clock, kubelets, asked, closed } = silentKubelet();
  using _kubelets = kubelets;
  const caller = new WebhookCaller({ clock, resolve: assert.fail, dial: (_endpoint, signal) => kubelets.dial(route, signal) });
  const call = caller.call({ client: { url: "https://10.1.0.1/check" }, body: Buffer.from("{}"), timeoutMs: 10_000, maxBytes: 1000 });
  const refused = assert.rejects(call, { message: 'Post "https://10.1.0.1/check?timeout=10s": context deadline exceeded' });
  await asked;
  clock.advance(10_000);
  await Promise.all([refused, closed]);
  assert.equal(clock.waiting, 0);
});

test("a connection that comes when the webhook's time is over is closed", async () => {
  const clock = new ManualClock();
  const [ours] = duplexPair();
  const dial = async (): Promise<Duplex> => {
    clock.advance(10_000);
    return ours;
  };
  const caller = new WebhookCaller({ clock, resolve: assert.fail, dial });
  const call = caller.call({ client: { url: "https://10.1.0.1/check" }, body: Buffer.from("{}"), timeoutMs: 10_000, maxBytes: 1000 });
  await assert.rejects(call, { message: /context deadline exceeded$/ });
  assert.equal(ours.destroyed, true);
});

test("a proxy to a Pod behind a kubelet that does not answer is a 503 that says so", async () => {
  const { clock, kubelets, asked, closed } = silentKubelet();
  using _kubelets = kubelets;
  const request = { method: "GET", path: "/", query: "", headers: {}, http1: true } as HttpRequest;
  const target = { scheme: "http", host: "10.1.0.1", port: 80 } as const;
  const proxied = kubelets.proxy(request, Buffer.alloc(0), { target, path: "/", route, loopback: false });
  const refused = assert.rejects(proxied, (error: Error & { status?: { code?: number } }) => {
    assert.equal(error.status?.code, 503);
    assert.match(error.message, /^error trying to reach service: .*timed out$/);
    return true;
  });
  await asked;
  clock.advance(30_000);
  await Promise.all([refused, closed]);
});
