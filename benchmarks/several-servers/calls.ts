/** A client that calls each server every 50 ms, all the while: how long a call for one object takes. */
import { setTimeout as rest } from "node:timers/promises";
import { type Client, configMaps } from "@coxswain/client";

type Verb = "create" | "get" | "update" | "patch";

export interface CallTimes {
  readonly calls: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Caller {
  /** Since this was asked last. */
  times(): Readonly<Record<string, CallTimes>>;
  /** What the first calls that failed said. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

const everyMs = 50;
const verbs: readonly Verb[] = ["create", "get", "update", "patch"];
const namespace = "default";
const maxFailures = 10;

/** Each ConfigMap is made, read, updated and patched, by one server after the other. */
export function startCalling(clients: readonly Client[]): Caller {
  const failures: string[] = [];
  let took = new Map<Verb, number[]>();
  let failed = new Map<Verb, number>();
  let isStopped = false;
  const timed = async (verb: Verb, work: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    try {
      await work();
    } catch (error) {
      failed.set(verb, (failed.get(verb) ?? 0) + 1);
      if (failures.length < maxFailures) failures.push(`${verb}: ${error}`);
    }
    took.set(verb, [...(took.get(verb) ?? []), performance.now() - startedAt]);
  };
  const callOne = async (index: number, round: number): Promise<void> => {
    const name = `called-${index}-${round}`;
    for (const [step, verb] of verbs.entries()) {
      const client = clients[(index + step) % clients.length];
      if (client === undefined || isStopped) return;
      await Promise.all([timed(verb, () => call(client, verb, name)), rest(everyMs)]);
    }
  };
  const calling = clients.map(async (_, index) => {
    for (let round = 0; !isStopped; round++) await callOne(index, round);
  });
  return {
    failures,
    times() {
      const result = Object.fromEntries([...took].map(([verb, all]) => [verb, timesOf(all, failed.get(verb) ?? 0)]));
      took = new Map();
      failed = new Map();
      return result;
    },
    async stop() {
      isStopped = true;
      await Promise.all(calling);
    },
  };
}

async function call(client: Client, verb: Verb, name: string): Promise<unknown> {
  const resource = client.resource(configMaps, namespace);
  switch (verb) {
    case "create":
      return await resource.create({ metadata: { name }, data: { at: "0" } });
    case "get":
      return await resource.get(name);
    case "update":
      return await resource.update({ metadata: { name }, data: { at: "1" } });
    case "patch":
      return await resource.patch(name, { type: "merge", patch: { data: { at: "2" } } });
  }
}

function timesOf(all: readonly number[], failed: number): CallTimes {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { calls: all.length, failed, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
