/** Many watches of one object that is patched again and again: events delivered, and how long they took. */
import type { ClientHttp2Stream } from "node:http2";
import { expectStatus } from "../load.ts";
import { atClient, type Figures, startMeter, type Target } from "./measure.ts";
import type { ServerBenchOptions } from "./options.ts";
import { configMap, configMaps, payload } from "./scenarios.ts";

const limitMs = 30_000;

/** An operation is the delivery of one event; its latency is from before the patch was sent until a watch has the event. */
export async function watchFanOut(target: Target, { n, size, watches }: ServerBenchOptions): Promise<Figures> {
  const { send } = atClient(target.connections, 0);
  const created = await send("POST", configMaps, configMap("beat", payload(size), "beat"));
  expectStatus(created, 201);
  const { resourceVersion } = JSON.parse(created.text).metadata;
  const path = `${configMaps}?watch=1&labelSelector=app%3Dbeat&resourceVersion=${resourceVersion}`;
  const streams = await Promise.all(Array.from({ length: watches }, (_, i) => atClient(target.connections, i).open(path)));

  const rounds = Math.ceil(n / 10);
  const expected = rounds * watches;
  const sentAt: number[] = [];
  const latencies: number[] = [];
  const { promise: allDelivered, resolve } = Promise.withResolvers<void>();
  for (const stream of streams) {
    readRounds(stream, (round) => {
      latencies.push(performance.now() - (sentAt[round] ?? Number.NaN));
      if (latencies.length === expected) resolve();
    });
  }
  const meter = startMeter(target.pids);
  for (let round = 0; round < rounds; round++) {
    sentAt.push(performance.now());
    expectStatus(await send("PATCH", `${configMaps}/beat`, { data: { b: `beat-${round}-` } }, "application/merge-patch+json"), 200);
  }
  const timeout = setTimeout(resolve, limitMs);
  await allDelivered;
  clearTimeout(timeout);
  const operations = latencies.length;
  const figures = meter.stop({ scenario: `watch-fanout-${watches}`, operations, latencies, bytes: 0 });
  for (const stream of streams) stream.destroy();
  return { ...figures, errors: expected - operations, conflicts: 0 };
}

/** Calls with the round of each event that has one. */
function readRounds(stream: ClientHttp2Stream, delivered: (round: number) => void): void {
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const round = /"beat-(\d+)-"/.exec(line)?.[1];
      if (round !== undefined) delivered(Number(round));
    }
  });
}
