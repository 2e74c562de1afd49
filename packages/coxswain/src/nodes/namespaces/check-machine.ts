/** What a machine must have so that it can be several nodes. */
import { StartError } from "../../process/start-error.ts";
import { cniPluginFolder } from "./pod-network.ts";
import { programPath } from "./run-program.ts";

/** What of a machine counts. */
export interface MachineFacts {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly hasProgram: (name: string) => boolean;
  readonly hasCniPlugins: boolean;
}

/** Programs, and the Debian packages that have them. */
const needed = {
  ip: "iproute2",
  nft: "nftables",
  nsenter: "util-linux",
  containerd: "containerd",
  runc: "runc",
  ctr: "containerd",
};

/** @throws StartError that says what is missing */
export function checkMachine({ platform, isRoot, hasProgram, hasCniPlugins }: MachineFacts = factsOfThisMachine()): void {
  const what = "several nodes with containers need";
  if (platform !== "linux") throw new StartError(`${what} Linux`);
  if (!isRoot) throw new StartError(`${what} root`);
  const missing = Object.entries(needed).flatMap(([name, from]) => (hasProgram(name) ? [] : [`${name} (${from})`]));
  if (!hasCniPlugins) missing.push("the CNI plugins (containernetworking-plugins)");
  if (missing.length > 0) throw new StartError(`${what} what is not installed: ${missing.join(", ")}`);
}

const factsOfThisMachine = (): MachineFacts => ({
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  hasProgram: (name) => programPath(name) !== undefined,
  hasCniPlugins: cniPluginFolder() !== undefined,
});
