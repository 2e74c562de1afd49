/** Runs the operations of a scenario, and says how fast they were and what they cost the server. */
import type { Connection } from "../load.ts";
import { cpuMicrosOf, residentBytes } from "../load.ts";

/** What the scenarios load. */
export interface Target {
  /** Shared by the clients in turn. */
  readonly connections: readonly Connection[];
  /** Of the server, for its CPU time and memory. */
  readonly pids: readonly number[];
}

/** What came of one operation. */
export interface Outcome {
  /** Of the bodies of the answers. */
  readonly bytes: number;
  /** Answers 409 before the operation was done. */
  readonly conflicts?: number;
  /** Why it was not done. */
  readonly error?: string;
}

export interface Scenario {
  readonly name: string;
  readonly operations: number;
  /** How many operations are under way at a time. */
  readonly clients: number;
  readonly run: (connection: Connection, operation: number) => Promise<Outcome>;
}

export interface Figures {
  readonly scenario: string;
  readonly operations: number;
  readonly errors: number;
  readonly conflicts: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of 10^6 bytes. */
  readonly megabytesPerSecond: number;
  /** User and system time of the server. NaN where there is no `/proc`. */
  readonly cpuMicrosPerOperation: number;
  /** Of 10^6 bytes. NaN where there is no `/proc`. */
  readonly residentMegabytes: number;
}

export async function measure({ connections, pids }: Target, { name, operations, clients, run }: Scenario): Promise<Figures> {
  const meter = startMeter(pids);
  const latencies: number[] = [];
  let [next, errors, conflicts, bytes] = [0, 0, 0, 0];
  const work = async (connection: Connection): Promise<void> => {
    for (let operation = next++; operation < operations; operation = next++) {
      const sentAt = performance.now();
      const outcome = await run(connection, operation);
      latencies.push(performance.now() - sentAt);
      bytes += outcome.bytes;
      conflicts += outcome.conflicts ?? 0;
      if (outcome.error === undefined) continue;
      if (errors++ === 0) process.stderr.write(`${name}: the first error: ${outcome.error}\n`);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(atClient(connections, client))));
  return { ...meter.stop({ scenario: name, operations, latencies, bytes }), errors, conflicts };
}

export function atClient(connections: readonly Connection[], client: number): Connection {
  const connection = connections[client % connections.length];
  if (connection === undefined) throw new Error("there is no connection");
  return connection;
}

interface Measured {
  readonly scenario: string;
  readonly operations: number;
  /** Milliseconds. */
  readonly latencies: readonly number[];
  readonly bytes: number;
}

/** Measures from now until `stop`. */
export function startMeter(pids: readonly number[]): { stop(measured: Measured): Omit<Figures, "errors" | "conflicts"> } {
  const cpuAtStart = cpuMicros(pids);
  const startedAt = performance.now();
  return {
    stop({ scenario, operations, latencies, bytes }) {
      const seconds = (performance.now() - startedAt) / 1000;
      const sorted = latencies.toSorted((a, b) => a - b);
      return {
        scenario,
        operations,
        perSecond: operations / seconds,
        p50Ms: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
        megabytesPerSecond: bytes / 1e6 / seconds,
        cpuMicrosPerOperation: (cpuMicros(pids) - cpuAtStart) / operations,
        residentMegabytes: sum(pids.map(residentBytes)) / 1e6,
      };
    },
  };
}

const cpuMicros = (pids: readonly number[]): number => sum(pids.map(cpuMicrosOf));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const quantile = (sorted: readonly number[], share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;

/** A line of the table. `barePerSecond` is the rate of the bare server in the same run. */
export function formatFigures(figures: Figures, barePerSecond: number): string {
  const { scenario, errors, conflicts, perSecond } = figures;
  const number = (value: number, width: number, digits: number): string => value.toFixed(digits).padStart(width);
  return [
    `${scenario.padEnd(24)}${number(perSecond, 10, 0)}/s`,
    `p50 ${number(figures.p50Ms, 8, 2)} ms`,
    `p99 ${number(figures.p99Ms, 8, 2)} ms`,
    `errors ${errors}`,
    `conflicts ${conflicts}`,
    `${number(figures.megabytesPerSecond, 7, 1)} MB/s`,
    `${number(perSecond / barePerSecond, 6, 3)} of bare`,
    `CPU ${number(figures.cpuMicrosPerOperation, 8, 0)} us/op`,
    `RSS ${number(figures.residentMegabytes, 0, 0)} MB`,
  ].join("  ");
}
