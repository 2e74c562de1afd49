/** The options of the server's benchmark, with one dash or two: `-n 1000 -only get,list`. */
import { parseArgs } from "node:util";

export interface ServerBenchOptions {
  /** Objects, or operations, of each scenario. */
  readonly n: number;
  /** Concurrent clients. */
  readonly c: number;
  /** Bytes of data in each ConfigMap. */
  readonly size: number;
  /** Watches in the fan-out. */
  readonly watches: number;
  /** TCP connections that the clients share. */
  readonly conns: number;
  /** Simulated nodes for `pods`. Default: as few as take so many. */
  readonly nodes: number;
  /** Without it all but `pods`, which needs a scheduler and nodes. */
  readonly only: ReadonlySet<string> | undefined;
  /** Another server than this repository's command, with the processes whose CPU time is reported. */
  readonly other: { readonly server: string; readonly token: string; readonly pids: readonly number[] } | undefined;
}

/** A simulated node takes 110. */
const podsPerNode = 100;

export const scenarioNames = ["create", "get", "update", "patch", "apply", "contend", "list", "watch", "pods", "delete"];

/** @throws Error for an option that there is not, a number that is none, or a scenario of another name */
export function parseServerBenchOptions(args: readonly string[]): ServerBenchOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: args.map((arg) => arg.replace(/^-(?=[a-z])/, "--")),
    options: { n: text, c: text, size: text, watches: text, conns: text, nodes: text, only: text, server: text, token: text, pids: text },
  });
  const { n = "5000", c = "16", size = "1024", watches = "100", conns = "1", token = "" } = values;
  const only = values.only?.split(",");
  const unknown = only?.filter((name) => !scenarioNames.includes(name)) ?? [];
  if (unknown.length > 0) throw new Error(`no scenario is called ${unknown.join(", ")}; there are ${scenarioNames.join(", ")}`);
  const pids = (values.pids?.split(",") ?? []).map((pid) => wholeNumber("pids", pid));
  return {
    n: wholeNumber("n", n),
    c: wholeNumber("c", c),
    size: wholeNumber("size", size),
    watches: wholeNumber("watches", watches),
    conns: wholeNumber("conns", conns),
    nodes: values.nodes === undefined ? Math.ceil(wholeNumber("n", n) / podsPerNode) : wholeNumber("nodes", values.nodes),
    only: only === undefined ? undefined : new Set(only),
    other: values.server === undefined ? undefined : { server: values.server, token, pids },
  };
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`-${option} ${text}: a whole number above 0 is needed`);
  return Number(text);
}
