/** For tests: a thread that increments one counter on its copy of a store, and checks what it sees of the others meanwhile. */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "@coxswain/machinery";
import { type Incremented, incrementContended } from "./increment-contended.ts";
import type { ReplicaStart } from "./protocol.ts";
import { openReplica } from "./replica-store.ts";

const { start, acknowledged, times } = workerData as { start: ReplicaStart; acknowledged: SharedArrayBuffer; times: number };

async function run(): Promise<Incremented> {
  await using copy = openReplica(start, { clock: systemClock });
  return await incrementContended(copy, new Int32Array(acknowledged), times);
}

if (parentPort !== null) {
  const port = parentPort;
  void run().then((done) => port.postMessage(done));
}
