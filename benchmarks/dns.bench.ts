/**
 * What an answer of cluster DNS costs, among 10,000 Services of 2 endpoints: made from packets, and over UDP with a client in
 * another process that has 64 questions under way; and how soon a change counts. Prints one JSON line per measurement; the argument
 * is how many questions (100,000 unless given).
 */
import { fork } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { services, systemClock, systemRandom } from "@coxswain/client";
import { DnsMetrics, encodeMessage, Forwarder, QueryHandler, ServiceIndex, startDns } from "@coxswain/dns";
import { startCluster } from "coxswain/testing";

const count = Number(process.argv[2] ?? 100_000);
const serviceCount = 10_000;

if (process.send === undefined) await measure();
else await load(Number(process.argv[3]));

async function measure(): Promise<void> {
  const index = new ServiceIndex();
  index.setNamespace("n", true);
  const filledAt = process.cpuUsage();
  for (let i = 0; i < serviceCount; i++) fill(index, i);
  print("filling the index", { services: serviceCount, milliseconds: round(cpuSince(filledAt) / 1000) });
  fillMany(index);
  const handler = handlerOf(index);
  for (const [name, ask] of [
    ["A of a Service", (i: number) => query(`web-${i % serviceCount}.n.svc.cluster.local.`, 1)],
    ["SRV of a headless Service", (i: number) => query(`_http._tcp.peers-${i % serviceCount}.n.svc.cluster.local.`, 33)],
    ["A of a headless Service of 1,000 endpoints, cut to a packet", () => query("many.n.svc.cluster.local.", 1)],
    ["a name that is not there", (i: number) => query(`missing-${i}.n.svc.cluster.local.`, 1)],
    ["what cannot be read", () => Uint8Array.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 0x0c, 0, 1, 0, 1])],
  ] as const) {
    const packets = Array.from({ length: 1000 }, (_, i) => ask(i));
    const startedAt = process.cpuUsage();
    for (let i = 0; i < count; i++)
      void handler.handle(packets[i % packets.length] ?? new Uint8Array(), { protocol: "udp", isIpv6: false, client: "10.1.0.1" });
    print(name, { microsecondsOfCpu: round(cpuSince(startedAt) / count) });
  }
  await overUdp();
}

async function overUdp(): Promise<void> {
  await using cluster = await startCluster();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { client } = cluster;
  const listen = { addresses: ["127.0.0.1"], port: 0 };
  await using dns = await startDns({ client, clock: systemClock, random: systemRandom, log, listen });
  await dns.synced;
  const startedAt = process.cpuUsage();
  const child = fork(import.meta.filename, [String(count), String(dns.port)]);
  const [figures] = (await once(child, "message")) as [object];
  print("over UDP", { ...figures, microsecondsOfCpu: round(cpuSince(startedAt) / count) });
  await changes(client, dns.port);
}

async function changes(client: Awaited<ReturnType<typeof startCluster>>["client"], port: number): Promise<void> {
  const socket = createSocket("udp4");
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    const name = `fresh-${i}`;
    await client.resource(services, "default").create({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
    const writtenAt = performance.now();
    for (;;) {
      socket.send(query(`${name}.default.svc.cluster.local.`, 1), port, "127.0.0.1");
      const [packet] = (await once(socket, "message")) as [Buffer];
      if ((packet.readUInt16BE(2) & 15) === 0) break;
    }
    times.push(performance.now() - writtenAt);
  }
  socket.close();
  times.sort((a, b) => a - b);
  print("from the answer to a write to the answer that shows it", { medianMs: round(times[50] ?? 0), worstMs: round(times[99] ?? 0) });
}

/** In the other process. */
async function load(port: number): Promise<void> {
  const socket = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
  const packet = Buffer.from(query("kubernetes.default.svc.cluster.local.", 1));
  const sentAt = new Float64Array(65_536);
  const times: number[] = [];
  let sent = 0;
  const ask = (): void => {
    if (sent === count) return;
    const id = sent++ & 0xffff;
    packet.writeUInt16BE(id, 0);
    sentAt[id] = performance.now();
    socket.send(Buffer.from(packet), port, "127.0.0.1");
  };
  const done = Promise.withResolvers<void>();
  socket.on("message", (answer) => {
    times.push(performance.now() - (sentAt[answer.readUInt16BE(0)] ?? 0));
    ask();
    if (times.length === count) done.resolve();
  });
  const startedAt = performance.now();
  for (let i = 0; i < 64; i++) ask();
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => round(times[Math.floor(share * (times.length - 1))] ?? 0);
  process.send?.({ perSecond: Math.round(count / seconds), medianMs: at(0.5), p99Ms: at(0.99) }, () => process.disconnect?.());
  socket.close();
}

function fill(index: ServiceIndex, i: number): void {
  const labels = { "kubernetes.io/service-name": `peers-${i}` };
  const ports = [{ name: "http", port: 80, protocol: "TCP" }];
  const address = (last: number): string => `10.${i >> 8}.${i & 255}.${last}`;
  index.setService({ metadata: { namespace: "n", name: `web-${i}` }, spec: { clusterIP: address(1), ports } });
  index.setService({ metadata: { namespace: "n", name: `peers-${i}` }, spec: { clusterIP: "None", ports } });
  const endpoints = [2, 3].map((last) => ({ addresses: [address(last)] }));
  index.setEndpointSlice({ metadata: { namespace: "n", name: `peers-${i}`, labels }, addressType: "IPv4", endpoints, ports });
}

function fillMany(index: ServiceIndex): void {
  const labels = { "kubernetes.io/service-name": "many" };
  index.setService({ metadata: { namespace: "n", name: "many" }, spec: { clusterIP: "None" } });
  const endpoints = Array.from({ length: 1000 }, (_, i) => ({ addresses: [`10.200.${i >> 8}.${i & 255}`] }));
  index.setEndpointSlice({ metadata: { namespace: "n", name: "many", labels }, addressType: "IPv4", endpoints, ports: [{ port: 80 }] });
}

function handlerOf(index: ServiceIndex): QueryHandler {
  const parts = { clock: systemClock, random: systemRandom };
  const forwarder = new Forwarder({ ...parts, zones: [], log: { warn: () => undefined } });
  const zone = { clusterDomain: "cluster.local.", reverseZones: [], ttl: 30, podMode: "insecure", ownAddresses: [] } as const;
  return new QueryHandler({ index, zone, forwarder, metrics: new DnsMetrics("dns://bench"), ...parts, isSynced: () => true });
}

function query(name: string, type: number): Uint8Array {
  const flags = { authoritative: false, truncated: false, recursionAvailable: false, authenticData: false, checkingDisabled: false };
  const records = { answers: [], authorities: [], additionals: [], edns: { udpSize: 1232, version: 0, dnssecOk: false } };
  const questions = [{ name, type, class: 1 }];
  return Uint8Array.from(
    encodeMessage({ id: 1, isResponse: false, opcode: 0, rcode: 0, recursionDesired: true, ...flags, ...records, questions }),
  );
}

/** Microseconds. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function print(name: string, figures: object): void {
  console.log(JSON.stringify({ name, ...figures }));
}
