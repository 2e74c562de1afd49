import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { StartError } from "../process/start-error.ts";
import { openAggregation } from "./aggregation.ts";

const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const pairNamed = (name: string) => issuePair("self", { subject: nameWith(name), usage: "client auth" }, 0);
const made = { current: pairNamed("made"), subscribe: () => ({ [Symbol.dispose]: () => undefined }) };

function files(t: { after(fn: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const write = (path: string, text: string): void => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  return { certFile, keyFile, write };
}

test("without files the certificate that is made for it counts", async () => {
  await using opened = await openAggregation(undefined, {
    proxyClient: made,
    loopback: false,
    hasClusterIps: false,
    clock: new ManualClock(),
    log,
  });
  assert.deepEqual(opened.server.aggregation, { proxyClient: made, forwardRedirects: false, loopback: false });
});

test("files are followed, and count again once both belong together", async (t) => {
  const { certFile, keyFile, write } = files(t);
  const [first, second] = [pairNamed("first"), pairNamed("second")];
  write(certFile, first.cert);
  write(keyFile, first.key);
  const clock = new ManualClock();
  const settings = { proxyClient: { certFile, keyFile }, forwardRedirects: true };
  await using opened = await openAggregation(settings, { proxyClient: made, loopback: true, hasClusterIps: false, clock, log });
  const { proxyClient, forwardRedirects } = opened.server.aggregation;
  assert.deepEqual([proxyClient?.current, forwardRedirects], [first, true]);
  const seen: unknown[] = [];
  proxyClient?.subscribe((pair) => seen.push(pair));
  write(certFile, second.cert);
  write(keyFile, second.key);
  await waitUntil("the new pair", () => {
    clock.advance(1_000);
    return seen.length > 0 ? true : undefined;
  });
  assert.deepEqual([seen.at(-1), proxyClient?.current], [second, second]);
});

const wrong = [
  { name: "a certificate without a key", lacks: "keyFile", message: /go together$/ },
  { name: "a certificate of another key", lacks: undefined, message: /do not belong together$/ },
] as const;
for (const { name, lacks, message } of wrong)
  test(`${name} ends the start`, async (t) => {
    const { certFile, keyFile, write } = files(t);
    write(certFile, pairNamed("a").cert);
    write(keyFile, pairNamed("b").key);
    const proxyClient = { certFile, keyFile: lacks === undefined ? keyFile : undefined };
    const opening = openAggregation(
      { proxyClient, forwardRedirects: false },
      { loopback: false, hasClusterIps: false, clock: new ManualClock(), log },
    );
    await assert.rejects(opening, (error: unknown) => error instanceof StartError && message.test(error.message));
  });

const routings = [
  { name: "cluster IPs where something leads from them", hasClusterIps: true, expect: "cluster-ip" },
  { name: "endpoints where nothing does", hasClusterIps: false, expect: "reachable" },
  { name: "endpoints where the flag says so", hasClusterIps: true, routesToEndpoints: true, expect: "endpoint" },
  { name: "cluster IPs where the flag says so", hasClusterIps: false, routesToEndpoints: false, expect: "cluster-ip" },
];

for (const { name, hasClusterIps, expect, ...asked } of routings)
  test(`Services of webhooks and extension servers are reached at ${name}`, async () => {
    const settings = { forwardRedirects: false, ...asked };
    await using opened = await openAggregation(settings, { loopback: false, hasClusterIps, clock: new ManualClock(), log });
    assert.equal(opened.server.serviceRouting, expect);
  });
