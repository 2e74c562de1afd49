/**
 * A whole cluster for 400 days, which then are over: TLS judges by the machine's own calendar, so its life began 400 days ago. Nothing is
 * restarted; all that it began with has ended long since.
 */
import assert from "node:assert/strict";
import type { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { deployments, nodes, pods } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { systemRandom } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { dayMs } from "@coxswain/pki/node";
import { JumpClock } from "../nodes/jump-clock-under-test.ts";
import { parseOptions } from "../options/cluster-options.ts";
import { startCluster } from "./start-cluster.ts";

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const silent = { print: () => undefined, printError: () => undefined };
const days = 400;

function servedAt(url: string): Promise<X509Certificate> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate === undefined) reject(new Error("there is no certificate"));
      else resolve(certificate);
    });
    socket.once("error", reject);
  });
}

const isValidNow = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now < validToDate.getTime();

test("after 400 days clients, controllers and kubelets go on, and nothing was restarted", { timeout: 2 * hangMs }, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "coxswain-lifetime-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const clock = new JumpClock(-days * dayMs);
  const options = parseOptions(["--data-dir", dataDir, "--port=0", "--runtime=simulated", "--node-name=one"], {}, "0.0.0", silent);
  const cluster = await startCluster(options, { clock, random: systemRandom, log: quiet, version: "0.0.0", platform: "linux/amd64" });
  t.after(() => cluster.close());
  const kubeconfig = readFileSync(cluster.kubeconfig, "utf8");
  const seen = new Set<string>();
  for (let day = 0; day < days; day += 5) {
    await clock.jump(5 * dayMs);
    const served = await servedAt(cluster.server);
    seen.add(served.serialNumber);
    assert.ok(isValidNow(served, clock.now()), `day ${day}`);
  }
  assert.equal(seen.size, 2);
  assert.notEqual(readFileSync(cluster.kubeconfig, "utf8"), kubeconfig);

  await using client = await clientFromKubeconfig({ paths: [cluster.kubeconfig] });
  await waitUntil("the node", async () => {
    // Requests that were under way when days passed were given up, and are made again.
    const { status } = (await client.resource(nodes).list()).items[0] ?? {};
    return status?.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True") === true;
  });
  const labels = { app: "late" };
  await client.resource(deployments, "default").create({
    metadata: { name: "late" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const running = await waitUntil("a Pod that runs", async () => {
    const { items } = await client.resource(pods, "default").list({ labelSelector: "app=late" });
    return items.find(({ status }) => status?.phase === "Running");
  });
  assert.ok(running.status?.podIP);
  // By way of the kubelet's port, whose certificate and whose client's are others than at the start.
  const path = `${cluster.server}/api/v1/nodes/one/proxy/healthz`;
  const now = readFileSync(cluster.kubeconfig, "utf8");
  assert.deepEqual(await ask(path, now), { status: 200, text: "ok" });
  assert.equal((await ask(path, kubeconfig)).status, 401);
});

/** By the certificate of a kubeconfig alone. */
function ask(url: string, kubeconfig: string): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const pem = (name: string): Buffer => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? "", "base64");
  const tls = { ca: pem("certificate-authority"), cert: pem("client-certificate"), key: pem("client-key") };
  return new Promise((resolve, reject) => {
    const request = get(url, { ...tls, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    request.on("error", reject);
  });
}
