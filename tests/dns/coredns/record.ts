/**
 * Writes what CoreDNS answers: `node scripts/run.mjs tests/dns/coredns/record.ts --coredns FILE --against https://127.0.0.1:7443 --token T`.
 * The API server has to be new and to have IPv4 and IPv6 Services: `--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112`.
 */
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decodeMessage, encodeMessage } from "@coxswain/dns";
import { sleep, systemClock } from "@coxswain/machinery";
import { type Answer, answerOf, queryOf } from "./answer-text.ts";
import { endpointSlices, namespaces, pods, services } from "./objects.ts";
import { type Asked, questions } from "./questions.ts";
import { upstreamAnswer } from "./upstream.ts";

const { values } = parseArgs({ options: { coredns: { type: "string" }, against: { type: "string" }, token: { type: "string" } } });
const { coredns, against, token } = values;
if (coredns === undefined || against === undefined || token === undefined) throw new Error("give --coredns FILE --against URL --token T");
const server = { url: against, token };

const ports = { insecure: 15_053, verified: 15_054, disabled: 15_055 } as const;
const upstreamPort = 15_056;
const folder = mkdtempSync(join(tmpdir(), "coredns-"));

await createObjects();
const upstream = await startUpstream();
writeFileSync(join(folder, "kubeconfig"), kubeconfig());
writeFileSync(
  join(folder, "Corefile"),
  Object.entries(ports)
    .map(([mode, port]) => block(mode, port))
    .join("\n"),
);
const child = spawn(coredns, ["-conf", join(folder, "Corefile")], { stdio: "inherit" });
try {
  // It waits for what it follows before it listens.
  await sleep(systemClock, 5000);
  const answers: Answer[] = [];
  for (const [i, asked] of questions.entries()) answers.push(answerOf(await ask(asked, i + 1)));
  const lines = questions.map((asked, i) => JSON.stringify({ asked, answer: answers[i] }));
  writeFileSync(join(import.meta.dirname, "expected.json"), `[\n${lines.join(",\n")}\n]\n`);
  console.log(`${answers.length} answers`);
} finally {
  child.kill();
  upstream.close();
  rmSync(folder, { recursive: true });
}

function block(mode: string, port: number): string {
  return `.:${port} {
    bind 127.0.0.1
    errors
    cache 30 {
        disable success cluster.local
        disable denial cluster.local
    }
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        kubeconfig ${join(folder, "kubeconfig")}
        pods ${mode}
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    forward . 127.0.0.1:${upstreamPort}
    loadbalance
}`;
}

function kubeconfig(): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: server.url, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: server.token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

async function createObjects(): Promise<void> {
  for (const name of namespaces) await post("/api/v1/namespaces", { metadata: { name } });
  // The API server has made its own `kubernetes`.
  for (const service of services.slice(1)) await post(`/api/v1/namespaces/${service.metadata?.namespace}/services`, service);
  for (const slice of endpointSlices) await post("/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices", slice);
  for (const { namespace, name, address } of pods) {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await post(path, { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });
    await send("PATCH", `${path}/${name}/status`, { status: { podIP: address, podIPs: [{ ip: address }] } });
  }
}

function post(path: string, body: object): Promise<void> {
  return send("POST", path, body);
}

async function send(method: string, path: string, body: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { authorization: `Bearer ${server.token}`, "content-type": type };
  const sent = request(`${server.url}${path}`, { method, headers, rejectUnauthorized: false }).end(JSON.stringify(body));
  const [response] = await once(sent, "response");
  const text = (await response.toArray()).join("");
  if (response.statusCode >= 300 && response.statusCode !== 409) throw new Error(`${method} ${path}: ${text}`);
}

async function startUpstream() {
  const socket = createSocket("udp4");
  socket.on("message", (packet, { address, port }) => {
    const query = decodeMessage(packet);
    const [question] = query.questions;
    if (question === undefined) return;
    const reply = { ...query, ...upstreamAnswer(question), isResponse: true, recursionAvailable: true };
    socket.send(encodeMessage(reply), port, address);
  });
  socket.bind(upstreamPort, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

async function ask(asked: Asked, id: number): Promise<Uint8Array> {
  const query = encodeMessage(queryOf(asked, id));
  const port = ports[asked.pods ?? "insecure"];
  if (asked.protocol !== "tcp") {
    const socket = createSocket("udp4");
    socket.send(query, port, "127.0.0.1");
    const [packet] = await once(socket, "message", { signal: AbortSignal.timeout(5000) });
    socket.close();
    return packet;
  }
  const socket = connect(port, "127.0.0.1");
  socket.write(Buffer.concat([Uint8Array.of(query.length >> 8, query.length & 255), query]));
  let received = Buffer.alloc(0);
  for await (const bytes of socket) {
    received = Buffer.concat([received, bytes]);
    if (received.length > 2 && received.length >= 2 + received.readUInt16BE(0)) break;
  }
  return received.subarray(2);
}
