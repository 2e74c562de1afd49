/**
 * Prints what all requests come to, as JSON. It has a network namespace to itself, to whose `lo` it gives addresses:
 *
 *     unshare --net node scripts/run.mjs tests/proxied-requests/inside.ts [KUBE_APISERVER]
 */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { nameWith } from "@coxswain/pki";
import { exportKey, type Issuer, issueCertificate, issuePair, noNames } from "@coxswain/pki/node";
import { startBackend } from "./backend.ts";
import { addresses, backends, namespace, objects } from "./objects.ts";
import { requests } from "./requests.ts";
import { type Answer, type Server, send } from "./send.ts";
import { startCoxswain, startKubeApiserver } from "./servers.ts";

const [program] = process.argv.slice(2);
// Of a new one not even the loopback is up.
if (Object.keys(networkInterfaces()).length > 0) throw new Error("it needs a network namespace of its own");
execFileSync("ip", ["link", "set", "lo", "up"]);
for (const address of [addresses.own, addresses.web, addresses.silent, addresses.web6])
  execFileSync("ip", ["addr", "add", address.includes(":") ? `${address}/128` : `${address}/32`, "dev", "lo"]);

const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
try {
  const authority = authorityFor("kubelets");
  const { issuer, cert: authorityCert } = authority;
  const names = { dns: [], ip: [addresses.web] };
  const certificate = issuePair(
    issuer,
    { subject: nameWith("system:node:web", ["system:nodes"]), usage: "server auth", names },
    Date.now(),
  );
  const servers = await Promise.all(backends.map((address) => startBackend(address, certificate)));
  const files = { directory, authority: issuer, authorityCert, authorityKey: exportKey(issuer.privateKey) };
  await using started = await (program === undefined ? startCoxswain(files) : startKubeApiserver(program, files));
  await give(started.server);
  const answers: Record<string, Answer> = {};
  for (const request of requests) answers[request.name] = await send(started.server, request);
  process.stdout.write(`${JSON.stringify(answers, null, 1)}\n`);
  for (const server of servers) server.close().closeAllConnections();
} finally {
  rmSync(directory, { recursive: true });
}

function authorityFor(name: string): { readonly issuer: Issuer; readonly cert: string } {
  const [subject, keys, now] = [nameWith(name), generateKeyPairSync("ec", { namedCurve: "P-256" }), Date.now()];
  const cert = issueCertificate({
    subject,
    issuer: { subject, ...keys },
    publicKey: keys.publicKey,
    serial: Uint8Array.of(1),
    notBefore: now - 60_000,
    notAfter: now + 3_600_000,
    authority: true,
    usages: ["cert sign"],
    names: noNames,
  });
  return { issuer: { subject, ...keys }, cert };
}

async function give(server: Server): Promise<void> {
  const write = async (method: string, path: string, object: object): Promise<void> => {
    const body = JSON.stringify(object);
    const answer = await send(server, { name: "given", method, path, body, headers: { "content-type": "application/json" } });
    if (typeof answer.status !== "number" || answer.status > 299)
      throw new Error(`${method} ${path}: ${JSON.stringify(answer)} for ${body}`);
  };
  await write("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  for (const { path, object, status } of objects) {
    await write("POST", path, object);
    const own = `${path}/${object.metadata.name}`;
    if (status !== undefined) await write("PUT", `${own}/status`, { ...object, status });
  }
}
