/**
 * A network of the test's own: bridges, addresses and iptables rules of Pods touch nothing of the machine, and the test reaches
 * Pods as a kubelet on their node does. Mounts are its own too, so that what a test leaves behind ends with it.
 */
import { binary, useProgramsBeside, whyNoContainers } from "./why-no-containers.ts";

const mark = "COXSWAIN_TEST_PRIVATE_NETWORK";

/** Whether this process has one. */
export const isNetworkPrivate = (): boolean => process.env[mark] !== undefined;

export interface PrivateNetworkOptions {
  readonly whyNot?: (() => string | undefined) | undefined;
  readonly containerd?: string | undefined;
}

/**
 * First thing in a test file: the whole process goes on inside, from its beginning. Returns there, and where it cannot; `whyNot` says
 * whether it can, by default run containers as well, in the program `containerd`, by default the one that is installed.
 */
export function enterPrivateNetwork({
  whyNot = whyNoContainers,
  containerd = process.env.COXSWAIN_CONTAINERD,
}: PrivateNetworkOptions = {}): void {
  if (containerd !== undefined) useProgramsBeside(containerd);
  if (isNetworkPrivate() || whyNot() !== undefined) return;
  const script = 'ip link set lo up && exec "$@"';
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const env = Object.entries({ ...process.env, [mark]: "1" }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  process.execve!(binary("unshare")!, ["unshare", "--net", "--mount", "sh", "-c", script, "sh", ...self], Object.fromEntries(env));
}
