/** How long others wait: a thread of its own asks the server for something small, again and again. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Worker } from "node:worker_threads";
import { startTarget, type Target, until } from "./target.ts";

/** Since the last call, in milliseconds. */
export interface Longest {
  /** Of the requests of others, the longest: on a busy machine it waits for the machine too. */
  readonly waited: number;
  /** CPU time that the thread which answers took without a break. */
  readonly busy: number;
}

export interface Latency extends AsyncDisposable {
  longest(): Promise<Longest>;
}

/** A target that tells how long it was busy. */
export async function startMeasured(): Promise<Target> {
  const before = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `${before ?? ""} --import=${new URL("./busy-probe.ts", import.meta.url)}`;
  try {
    return await startTarget();
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  }
}

/**
 * A few times what is needed: "not for long". What the machine does besides does not count, but that caches are cold then
 * does. Each test tells what was measured.
 */
const mostBusy = 200;

export async function assertOthersServed(latency: Latency, t: TestContext): Promise<void> {
  const { waited, busy } = await latency.longest();
  t.diagnostic(`busy for ${busy.toFixed(1)} ms without a break, others waited ${waited.toFixed(1)} ms`);
  assert.ok(busy < mostBusy, `busy for ${busy} ms`);
}

async function longestBusy({ command }: Target): Promise<number> {
  const start = command.log().length;
  const told = (): string | undefined => /busy ([\d.]+)\n/.exec(command.log().slice(start))?.[1];
  command.process.kill("SIGUSR2");
  await until("it tells how long it was busy", () => told() !== undefined);
  return Number(told());
}

export async function watchLatency(target: Target): Promise<Latency> {
  const { command, authorization } = target;
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
      const busy = await longestBusy(target);
      return { waited: Atomics.exchange(longest, 0, 0) / 10, busy };
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
