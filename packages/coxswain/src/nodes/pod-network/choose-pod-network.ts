/** Who gives Pods of this machine their addresses: this command, or what a configuration says that is there already. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { readCniFolders } from "@coxswain/kubelet";
import type { Clock } from "@coxswain/machinery";
import { ipProgram } from "../namespaces/links.ts";
import { programPath } from "../namespaces/run-program.ts";
import { foreignCniConfig, isRouting, missingPlugins, podLinkOf } from "./cni-config.ts";

export type PodNetworkChoice = {
  /** Where the runtime looks for configurations. */
  readonly confDir: string;
  /** Whether all packets between Pods of one node pass its rules, as they do where no bridge joins these. */
  readonly routes: boolean;
} & (
  | { readonly kind: "own" }
  /** `why` is for people; a problem keeps Pods from having any. */
  | { readonly kind: "other"; readonly why: string; readonly isProblem: boolean }
);

export interface RuntimeForPods {
  /** Whether this command gives Pods their addresses where nobody else does. */
  readonly isWanted: boolean;
  readonly socket: string;
  /** Undefined: as the runtime says. */
  readonly confDir?: string | undefined;
  readonly clock: Clock;
}

/** How long the runtime may take to say where it looks. Milliseconds. */
const timeoutMs = 10_000;

/** @throws RuntimeError for a runtime that does not answer */
export async function choosePodNetwork(runtime: RuntimeForPods): Promise<PodNetworkChoice> {
  const { isWanted, socket, confDir: wanted, clock } = runtime;
  const { confDir: said, binDirs } = await readCniFolders({ socket, clock, timeoutMs }, new AbortController().signal);
  const confDir = wanted ?? said;
  const foreign = foreignCniConfig(confDir);
  if (foreign !== undefined) {
    const routes = isRouting(confDir, foreign);
    return { kind: "other", confDir, routes, why: `${confDir}/${foreign} says how Pods get addresses`, isProblem: false };
  }
  if (!isWanted) return { kind: "other", confDir, routes: false, why: "others give Pods their addresses", isProblem: false };
  const problem = problemOf(confDir, binDirs);
  return problem === undefined
    ? { kind: "own", confDir, routes: (await podLinkOf(ipProgram(), confDir)) === "ptp" }
    : { kind: "other", confDir, routes: true, why: `Pods get no addresses: ${problem}`, isProblem: true };
}

/** And the Debian packages that have them. */
const programs = { ip: "iproute2", nft: "nftables" };

function problemOf(confDir: string, binDirs: readonly string[]): string | undefined {
  const missing = missingPlugins(binDirs);
  if (missing.length > 0) return `the CNI plugins ${missing.join(", ")} (containernetworking-plugins) are not in ${binDirs.join(", ")}`;
  for (const [program, from] of Object.entries(programs))
    if (programPath(program) === undefined) return `${program} (${from}) is not installed`;
  return mayWrite(confDir) ? undefined : `this user may not write ${confDir}`;
}

/** Into a folder, or one that is yet to be made. */
function mayWrite(folder: string): boolean {
  if (!existsSync(folder)) return folder !== dirname(folder) && mayWrite(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}
