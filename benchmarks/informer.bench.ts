/**
 * What a local copy of ConfigMaps of 1 KB costs its process: the time until it is there, over HTTP/2 from the command and
 * in one process with the server, memory in a process that does nothing else, and how fast it takes events. Prints one
 * JSON line per measurement; the argument is how many objects (10,000 unless given).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { byOwner, type Client, configMaps, createClient, createInformer, dropManagedFields, type WatchEvent } from "@coxswain/client";
import { http2Transport } from "@coxswain/client/node";
import { type KubeObject, systemClock, systemRandom } from "@coxswain/machinery";
import { startCluster } from "coxswain/testing";
import { startCommand } from "../tests/conformance/command-under-test.ts";
import { configMap } from "./custom-resource-cases.ts";
import { connectTo, expectStatus, load, median, residentMegabytes } from "./load.ts";

const path = "/api/v1/namespaces/default/configmaps";
const variants = {
  "whole objects": {},
  "without managed fields": { transform: dropManagedFields },
  "metadata only": { metadataOnly: true },
};
type Variant = keyof typeof variants;

const [first = "10000", server = "", token = "", variant = ""] = process.argv.slice(2);
if (first === "follow") await follow(server, token, variant as Variant);
else {
  await overHttp2(Number(first));
  await inProcess(Number(first));
  await events(Number(first));
}

function print(name: string, figures: object): void {
  process.stdout.write(`${JSON.stringify({ name, ...figures })}\n`);
}

async function overHttp2(objects: number): Promise<void> {
  const command = await startCommand("--ephemeral", "--log-level", "warn");
  try {
    using connection = await connectTo(command);
    await load(command.process.pid, objects, 16, async (i) =>
      expectStatus(await connection.send("POST", path, configMap(`object-${i}`)), 201),
    );
    for (const variant of Object.keys(variants)) {
      const options = ["--expose-gc", import.meta.filename, "follow", command.server, command.token, variant];
      await once(spawn(process.execPath, options, { stdio: ["ignore", "inherit", "inherit"] }), "close");
    }
  } finally {
    await command.stop();
  }
}

/** In a process of its own: the first copy pays for compiling too, those after it show what it costs a warm process. */
async function follow(server: string, token: string, variant: Variant): Promise<void> {
  const credential = { authorization: `Bearer ${token}` };
  const credentials = { current: async () => credential };
  const transport = http2Transport({ server, clock: systemClock, tls: { insecure: true }, credentials });
  await using client = createClient({ transport, clock: systemClock, random: systemRandom });
  await client.resource(configMaps).get({ namespace: "default", name: "object-0" });
  globalThis.gc?.();
  const before = { resident: residentMegabytes(process.pid), heap: process.memoryUsage().heapUsed };
  const kept = await readyMs(client, variant);
  const resident = residentMegabytes(process.pid) - before.resident;
  globalThis.gc?.();
  const heap = Math.round((process.memoryUsage().heapUsed - before.heap) / 2 ** 20);
  const residentAfterGc = residentMegabytes(process.pid) - before.resident;
  await kept.stop();
  const warm: { ms: number; cpuMs: number }[] = [];
  for (let i = 0; i < 5; i++) {
    const again = await readyMs(client, variant);
    warm.push(again);
    await again.stop();
  }
  const figures = {
    objects: kept.objects,
    readyMs: kept.ms,
    cpuMs: kept.cpuMs,
    warmMs: median(warm.map(({ ms }) => ms)),
    warmCpuMs: median(warm.map(({ cpuMs }) => cpuMs)),
    residentMb: resident,
    residentMbAfterGc: residentAfterGc,
    heapMb: heap,
  };
  print(`a copy over HTTP/2, ${variant}`, figures);
}

async function inProcess(objects: number): Promise<void> {
  await using cluster = await startCluster();
  const resource = cluster.client.resource(configMaps, "default");
  for (let i = 0; i < objects; i++) await resource.create(configMap(`object-${i}`) as KubeObject);
  const times: { ms: number; cpuMs: number }[] = [];
  for (let i = 0; i < 5; i++) {
    const copy = await readyMs(cluster.client, "whole objects");
    times.push(copy);
    await copy.stop();
  }
  const [cold] = times;
  print("a copy in process", {
    objects,
    readyMs: cold?.ms,
    cpuMs: cold?.cpuMs,
    warmMs: median(times.map(({ ms }) => ms)),
    warmCpuMs: median(times.map(({ cpuMs }) => cpuMs)),
  });
}

/** From nothing to a complete copy. */
async function readyMs(
  client: Client,
  variant: Variant,
): Promise<{ ms: number; cpuMs: number; objects: number; stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const start = performance.now();
  const cpu = process.cpuUsage();
  const informer = createInformer(client.resource(configMaps), { clock: systemClock, ...variants[variant] });
  const run = informer.run(stopping.signal);
  await Promise.race([informer.synced, run]);
  const ms = Math.round(performance.now() - start);
  const cpuMs = cpuMsSince(cpu);
  const stop = async () => {
    stopping.abort();
    await run;
  };
  return { ms, cpuMs, objects: informer.lister.size, stop };
}

/** Of all threads, user and system. */
function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 1000);
}

/** Events that are at hand, through an informer with an index and a subscriber. */
async function events(objects: number): Promise<void> {
  await using cluster = await startCluster();
  const count = objects * 20;
  const objectOf = (i: number): KubeObject => ({
    ...configMap(`object-${i % objects}`),
    metadata: { name: `object-${i % objects}`, namespace: "default", uid: String(i % objects), resourceVersion: String(i + 1) },
  });
  const all: WatchEvent<KubeObject>[] = Array.from({ length: count }, (_, i) => ({ type: "MODIFIED", object: objectOf(i) }));
  const stopping = new AbortController();
  async function* watch(): AsyncGenerator<WatchEvent<KubeObject>> {
    yield { type: "LISTED", items: [], resourceVersion: "0" };
    for (const event of all) yield event;
    stopping.abort();
  }
  const informer = createInformer({ ...cluster.client.resource(configMaps), watch }, { clock: systemClock, indexes: { byOwner } });
  let delivered = 0;
  informer.subscribe(() => delivered++);
  const start = performance.now();
  const cpu = process.cpuUsage();
  await informer.run(stopping.signal);
  const cpuMicros = Number(((cpuMsSince(cpu) * 1000) / delivered).toPrecision(3));
  const ms = performance.now() - start;
  print("events applied", { events: delivered, perSecond: Math.round((delivered / ms) * 1000), cpuMicros });
}
