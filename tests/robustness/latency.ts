/** How long others wait: a thread of its own asks the server for something small, again and again. */
import { Worker } from "node:worker_threads";
import type { Target } from "./target.ts";

export interface Latency extends AsyncDisposable {
  /** Milliseconds of the longest request since the last call. */
  longest(): Promise<number>;
}

export async function watchLatency({ command, authorization }: Target): Promise<Latency> {
  const longest = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(asking, { eval: true, workerData: { server: command.server, authorization, longest } });
  await new Promise<void>((resolve, reject) => {
    worker.once("message", () => resolve());
    worker.once("error", reject);
  });
  return {
    async longest() {
      // Until a request that was sent meanwhile has come back.
      const before = Atomics.load(longest, 1);
      while (Atomics.load(longest, 1) < before + 2) await new Promise((resolve) => setTimeout(resolve, 1));
      return Atomics.exchange(longest, 0, 0) / 10;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** Tenths of milliseconds in the first place, the number of requests in the second. */
const asking = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { connect } = require("node:http2");
  const { server, authorization, longest } = workerData;
  const session = connect(server, { rejectUnauthorized: false });
  ask();
  function ask() {
    const start = performance.now();
    const stream = session.request({ ":path": "/api/v1/namespaces/default", authorization });
    stream.resume();
    stream.on("close", () => {
      const took = Math.round((performance.now() - start) * 10);
      if (Atomics.add(longest, 1, 1) === 0) parentPort.postMessage("ready");
      else if (took > Atomics.load(longest, 0)) Atomics.store(longest, 0, took);
      setTimeout(ask, 1);
    });
  }`;
