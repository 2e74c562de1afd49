/** Which addresses and ports Services get: options that are called as kube-apiserver's. */
import type { Command } from "commander";
import { parseNodePortRange, parseServiceRanges } from "./parse-values.ts";

export interface ParsedServiceOptions {
  readonly serviceClusterIpRange?: readonly string[];
  readonly serviceNodePortRange?: string;
}

export const addServiceOptions = (command: Command): Command =>
  command
    .option(
      "--service-cluster-ip-range <cidrs>",
      "addresses of Services: one range, or one of each family, of which the first is the default (default: 10.96.0.0/12)",
      parseServiceRanges,
    )
    .option("--service-node-port-range <ports>", "ports that Services may have on every Node (default: 30000-32767)", parseNodePortRange);
