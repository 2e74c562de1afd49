/** The certificate that a kubelet serves with is replaced before it ends, by the real signer. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseCertificates } from "@coxswain/apiserver";
import { certificateSigningRequests } from "@coxswain/client";
import { systemRandom } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { dayMs, type KeyPair } from "@coxswain/pki/node";
import { startCluster } from "../testing/index.ts";
import { JumpClock } from "./jump-clock-under-test.ts";
import { servingCredentials } from "./serving-rotation.ts";

const names = { dns: ["one"], ip: ["127.0.0.1"] };
const read = ({ cert }: KeyPair): X509Certificate => new X509Certificate(cert);
const endOf = (pair: KeyPair): number => read(pair).validToDate.getTime();
const isSelfSigned = (pair: KeyPair): boolean => read(pair).verify(read(pair).publicKey);

async function serve(user: { readonly name: string; readonly groups: readonly string[] }) {
  const clock = new JumpClock(0);
  const cluster = await startCluster({ clock });
  const client = cluster.clientFor(user);
  const warnings: unknown[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void warnings.push(fields) };
  const { current, follow } = await servingCredentials({ client, node: "one", names, random: systemRandom, log });
  const served = [current];
  const stop = new AbortController();
  const running = follow?.((next) => void served.push(next), stop.signal);
  return {
    cluster,
    clock,
    warnings,
    served,
    current: (): KeyPair => served.at(-1) ?? current,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await running;
      await cluster[Symbol.asyncDispose]();
    },
  };
}

test("over 400 days a kubelet serves with certificates of the cluster, each before the last one ends", { timeout: hangMs }, async () => {
  await using kubelet = await serve({ name: "starter", groups: ["system:masters"] });
  const { cluster, clock, served, current, warnings } = kubelet;
  for (let day = 0; day < 400; day++) {
    await clock.jump(dayMs);
    // After 90 % of its time, the next one is signed as soon as the request is answered.
    if (endOf(current()) - clock.now() < 36 * dayMs) await waitUntil("the next one", () => endOf(current()) - clock.now() > 300 * dayMs);
  }
  assert.equal(served.length, 2);
  assert.deepEqual(warnings, []);
  const { items } = await cluster.client.resource(certificateSigningRequests).list();
  assert.deepEqual(
    items.map(({ spec }) => spec?.signerName),
    ["kubernetes.io/kubelet-serving", "kubernetes.io/kubelet-serving"],
  );
  assert.ok(!served.some(isSelfSigned));
});

test("where nobody approves, a kubelet goes on with certificates that it signs itself", { timeout: hangMs }, async () => {
  await using kubelet = await serve({ name: "system:node:one", groups: ["system:nodes"] });
  const { clock, served, current, warnings } = kubelet;
  for (let day = 0; day < 400; day++) {
    await clock.jump(dayMs);
    if (endOf(current()) - clock.now() > 30 * dayMs) continue;
    await waitUntil("the next one", async () => {
      await clock.jump(60_000);
      return endOf(current()) - clock.now() > 300 * dayMs;
    });
  }
  assert.ok(served.length >= 2);
  assert.ok(served.every(isSelfSigned));
  assert.ok(warnings.length > 0);
});

test("what the cluster has signed is served with again after another start, until it is not good any more", {
  timeout: hangMs,
}, async (t) => {
  const certDir = mkdtempSync(join(tmpdir(), "coxswain-serving-"));
  t.after(() => rmSync(certDir, { recursive: true, force: true }));
  const clock = new JumpClock(0);
  await using cluster = await startCluster({ clock });
  const client = cluster.clientFor({ name: "starter", groups: ["system:masters"] });
  const { kubeconfig } = await cluster.listen();
  const [, base64 = ""] = /certificate-authority-data: "?([\w+/=]+)/.exec(readFileSync(kubeconfig, "utf8")) ?? [];
  const authorities = parseCertificates(Buffer.from(base64, "base64").toString());
  assert.equal(authorities.length, 1);
  const log = { info: () => undefined, warn: (fields: object) => assert.fail(JSON.stringify(fields)) };
  const kept = { certDir, authorities };
  const start = async (other: { readonly node?: string; readonly names?: typeof names; readonly kept?: typeof kept } = {}) => {
    const { current } = await servingCredentials({ client, node: "one", names, random: systemRandom, log, kept, ...other });
    return read(current).fingerprint256;
  };
  const first = await start();
  assert.equal(await start(), first);
  assert.equal(await start({ names: { dns: ["one"], ip: [] } }), first);
  const requests = async () => (await cluster.client.resource(certificateSigningRequests).list()).items.length;
  assert.equal(await requests(), 1);

  const file = join(certDir, "kubelet-server-current.pem");
  const pems = readFileSync(file, "utf8");
  const others = [
    () => start({ node: "two" }),
    () => start({ names: { dns: ["one", "other"], ip: ["127.0.0.1"] } }),
    () => start({ kept: { certDir, authorities: [] } }),
    () => {
      writeFileSync(file, pems.slice(0, pems.length / 2));
      return start();
    },
    async () => {
      await clock.jump(366 * dayMs);
      return await start();
    },
  ];
  for (const [i, other] of others.entries()) {
    writeFileSync(file, pems);
    assert.notEqual(await other(), first);
    assert.equal(await requests(), 2 + i);
  }
});
