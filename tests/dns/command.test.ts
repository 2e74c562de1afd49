/** `coxswain dns` beside a server in another process, and what it does not understand. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile, startCommand } from "../conformance/command-under-test.ts";

function startDns(...args: readonly string[]) {
  const child = spawn(process.execPath, [mainFile, "dns", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  return { child, log: () => log };
}

test("answers from the cluster of a kubeconfig, says that it is healthy, and ends with a signal", { timeout: 2 * hangMs }, async () => {
  const server = await startCommand("--ephemeral");
  const { child, log } = startDns("--kubeconfig", server.kubeconfig, "--port", "0", "--metrics-port", "0", "--forward", "192.0.2.53");
  const exited = once(child, "exit");
  try {
    await waitUntil("it knows the cluster", () => log().includes("caches synced"));
    const ports = [...log().matchAll(/"port":(\d+)/g)].map(([, port]) => Number(port));
    const resolver = new Resolver({ timeout: hangMs, tries: 1 });
    resolver.setServers([`127.0.0.1:${ports[0]}`]);
    assert.deepEqual(await resolver.resolve4("kubernetes.default.svc.cluster.local"), ["10.96.0.1"]);
    assert.equal(await (await fetch(`http://127.0.0.1:${ports[1]}/healthz`)).text(), "ok");
    const metrics = await (await fetch(`http://127.0.0.1:${ports[1]}/metrics`)).text();
    assert.match(metrics, /^coredns_dns_requests_total\{.*type="A"\} 1$/m);
  } finally {
    child.kill("SIGTERM");
    assert.deepEqual(await exited, [0, null]);
    await server.stop();
  }
});

const wrong: readonly { args: readonly string[]; says: RegExp }[] = [
  { args: ["--listen-address", "localhost"], says: /It must be IP addresses/ },
  { args: ["--forward", "example.org"], says: /"example\.org" is no address of a name server/ },
  { args: ["--stub-domain", "corp.example"], says: /It must be name=server/ },
  { args: ["--cluster-domain", "clus_ter"], says: /It must be a domain name/ },
  { args: ["--pods", "some"], says: /insecure, verified, disabled/ },
  { args: ["--ttl", "4000"], says: /from 0 to 3600/ },
  { args: ["--kubeconfig", "/nonexistent"], says: /nonexistent/ },
];
for (const { args, says } of wrong)
  test(`does not start with ${args.join(" ")}`, { timeout: hangMs }, async () => {
    const { child, log } = startDns(...args);
    const [code] = await once(child, "exit");
    assert.equal(code, 1);
    assert.match(log(), says);
  });
