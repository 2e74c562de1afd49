/** Pods from their creation until a node runs them: API server, scheduler and nodes together. */
import type { ClientHttp2Stream } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { type Connection, expectStatus, type LoadedServer } from "../load.ts";
import { startAnotherClient } from "./another-client.ts";
import { atClient, type Figures, measure, startMeter, type Target } from "./measure.ts";
import type { ServerBenchOptions } from "./options.ts";
import { namespace, outcomeOf } from "./scenarios.ts";

const path = `/api/v1/namespaces/${namespace}/pods`;
const limitMs = 5 * 60_000;

/**
 * `pod-create` alone; `pod-to-running`, whose latency is from before a create was sent to the phase Running on a watch; and
 * `get-meanwhile`, by another client, whose CPU is not told apart.
 */
export async function podsToRunning(target: Target, server: LoadedServer, { n, c }: ServerBenchOptions): Promise<readonly Figures[]> {
  const connection = atClient(target.connections, 0);
  await serviceAccountThere(connection);
  const listed = await connection.send("GET", `${path}?limit=1`);
  expectStatus(listed, 200);
  const stream = await connection.open(`${path}?watch=1&resourceVersion=${JSON.parse(listed.text).metadata.resourceVersion}`);
  const createdAt: number[] = [];
  const runningAfter = new Map<number, number>();
  const { promise: allRunning, resolve } = Promise.withResolvers<void>();
  readRunning(stream, (pod) => {
    if (!runningAfter.has(pod)) runningAfter.set(pod, performance.now() - (createdAt[pod] ?? Number.NaN));
    if (runningAfter.size === n) resolve();
  });
  const timeout = setTimeout(resolve, limitMs);
  const another = await startAnotherClient(server);
  const meter = startMeter(target.pids);
  const meterOfAnother = startMeter([]);
  const creates = await measure(target, {
    name: "pod-create",
    operations: n,
    clients: c,
    run: async ({ send }, i) => {
      createdAt[i] = performance.now();
      return outcomeOf(await send("POST", path, pod(i)), 201);
    },
  });
  await allRunning;
  clearTimeout(timeout);
  const operations = runningAfter.size;
  const figures = meter.stop({ scenario: "pod-to-running", operations, latencies: [...runningAfter.values()], bytes: 0 });
  const latencies = await another.stop();
  const meanwhile = meterOfAnother.stop({ scenario: "get-meanwhile", operations: latencies.length, latencies, bytes: 0 });
  stream.destroy();
  return [creates, { ...figures, errors: n - operations, conflicts: 0 }, { ...meanwhile, ...notMeasured }];
}

/** Controllers make it, which may only be starting. */
async function serviceAccountThere({ send }: Connection): Promise<void> {
  for (let left = 600; left > 0; left--) {
    const { status } = await send("GET", `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    if (status === 200) return;
    await pause(100);
  }
  throw new Error("the namespace has no service account");
}

const notMeasured = { errors: 0, conflicts: 0, cpuMicrosPerOperation: Number.NaN, residentMegabytes: Number.NaN };

const pod = (i: number): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `p-${i}` },
  spec: {
    automountServiceAccountToken: false,
    tolerations: [{ operator: "Exists" }],
    containers: [{ name: "c", image: "busybox", resources: { requests: { cpu: "1m", memory: "1Mi" } } }],
  },
});

/** Calls with the number of each Pod that an event shows running. */
function readRunning(stream: ClientHttp2Stream, running: (pod: number) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { metadata, status } = JSON.parse(line).object;
      const number = /^p-(\d+)$/.exec(metadata.name)?.[1];
      if (status?.phase === "Running" && number !== undefined) running(Number(number));
    }
  });
}
