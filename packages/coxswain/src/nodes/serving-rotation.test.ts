/** The certificate that a kubelet serves with is replaced before it ends, by the real signer. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
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
