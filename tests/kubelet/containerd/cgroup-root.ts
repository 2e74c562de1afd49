import type { Containerd } from "./containerd.ts";

/** Name that a test's Pods have in the machine's control groups, so that what is left there can be told from others'. */
export function cgroupRootOf({ folder }: Pick<Containerd, "folder">): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}
