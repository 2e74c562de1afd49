/** What the run of several servers is told. */
import { parseArgs } from "node:util";

export interface Options {
  readonly servers: number;
  readonly nodes: number;
  /** Of 100 Pods each. */
  readonly deployments: number;
  /** So many Deployments are made at first, and another when one has all its Pods ready; undefined makes all at once. */
  readonly atATime: number | undefined;
  /** `--kube-api-qps` of the controllers, which is how many Pods are made a second; undefined makes them as fast as they go. */
  readonly podsPerSecond: number | undefined;
  /** So many requests of all nodes together are under way. */
  readonly nodesInFlight: number;
  /** The run is given up so long after the first Deployment. */
  readonly limitMs: number;
  /** Where each process leaves its CPU profile. */
  readonly profiles: string | undefined;
}

/** @throws TypeError for options that there are not */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      servers: { type: "string", default: "3" },
      nodes: { type: "string", default: "500" },
      deployments: { type: "string", default: "50" },
      "at-a-time": { type: "string" },
      "pods-per-second": { type: "string" },
      "nodes-in-flight": { type: "string", default: "100" },
      "limit-s": { type: "string", default: "1200" },
      profiles: { type: "string" },
    },
  });
  const optional = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  return {
    servers: Number(values.servers),
    nodes: Number(values.nodes),
    deployments: Number(values.deployments),
    atATime: optional(values["at-a-time"]),
    podsPerSecond: optional(values["pods-per-second"]),
    nodesInFlight: Number(values["nodes-in-flight"]),
    limitMs: Number(values["limit-s"]) * 1_000,
    profiles: values.profiles,
  };
}
