/** Whether others are served: a thread of its own asks the server for something small, again and again. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Worker } from "node:worker_threads";
import { startTarget, type Target, until } from "./target.ts";

/**
 * What the server did since the last question, in units of a known piece of work: reading and printing 100 kB of JSON on the
 * same thread, which takes about a millisecond.
 */
export interface Work {
  /** Of the thread that answers, without a break. */
  readonly observedTurn: number;
  /** Of all threads together. */
  readonly total: number;
}

export interface Latency extends AsyncDisposable {
  /** Resolves once a request of others that was sent meanwhile has been answered. */
  work(): Promise<Work>;
}

/** A target that reports how much it did. */
export async function startMeasured(...options: string[]): Promise<Target> {
  const before = process.env.NODE_OPTIONS;
  process.env.NODE_OPTIONS = `${before ?? ""} --import=${new URL("./busy-probe.ts", import.meta.url)}`;
  try {
    return await startTarget(...options);
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  }
}

/** A few times what is needed: that caches are cold counts too. Each test reports what was measured. */
const maxTurn = 250;

export async function assertOthersServed(latency: Latency, t: TestContext): Promise<void> {
  const { observedTurn } = await latency.work();
  t.diagnostic(`the longest turn was as long as ${observedTurn.toFixed(1)} times 100 kB of JSON`);
  assert.ok(observedTurn < maxTurn, `a turn as long as ${observedTurn} times 100 kB of JSON`);
}

export async function workOf({ command }: Target): Promise<Work> {
  const start = command.log().length;
  const reported = (): string | undefined => /work (\{.*\})\n/.exec(command.log().slice(start))?.[1];
  command.process.kill("SIGUSR2");
  await until("it reports how much it did", () => reported() !== undefined);
  return JSON.parse(reported() ?? "");
}

export async function watchLatency(target: Target): Promise<Latency> {
  const { command, authorization } = target;
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(asking, { eval: true, workerData: { server: command.server, authorization, answered } });
  await until("the first answer", () => Atomics.load(answered, 0) > 0);
  return {
    async work() {
      const before = Atomics.load(answered, 0);
      await until("another client's answer", () => Atomics.load(answered, 0) >= before + 2);
      return await workOf(target);
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** Counts the answers. */
const asking = `
  const { workerData } = require("node:worker_threads");
  const { connect } = require("node:http2");
  const { server, authorization, answered } = workerData;
  const session = connect(server, { rejectUnauthorized: false });
  ask();
  function ask() {
    const stream = session.request({ ":path": "/api/v1/namespaces/default", authorization });
    stream.resume();
    stream.on("close", () => {
      Atomics.add(answered, 0, 1);
      setTimeout(ask, 1);
    });
  }`;
