/** Where a kubelet keeps what belongs to one Pod; as Kubernetes' own lays it out. */
import { join } from "node:path";
import type { Pod } from "./pod.ts";

export interface PodDirectories {
  /** Everything but its logs. */
  readonly root: string;
  readonly hostsFile: string;
  readonly volumes: string;
  readonly subPaths: string;
  /** Termination messages of one container. */
  messages(container: string): string;
}

/** Returns where the files of one Pod are. @throws Error for a uid that is no file name */
export function podDirectories(rootDir: string, podUid: string): PodDirectories {
  const root = join(podsDirectory(rootDir), safeName(podUid));
  return {
    root,
    hostsFile: join(root, "etc-hosts"),
    volumes: join(root, "volumes"),
    subPaths: join(root, "volume-subpaths"),
    messages: (container) => join(root, "containers", safeName(container)),
  };
}

export const podsDirectory = (rootDir: string): string => join(rootDir, "pods");

/** The directory of a Pod's logs has its name for people, too. */
export function podLogDirectory(logsDir: string, { metadata }: Pod): string {
  const { namespace = "", name = "", uid = "" } = metadata ?? {};
  return join(logsDir, safeName(`${namespace}_${name}_${uid}`));
}

/** The uid of the Pod whose logs are in a directory of this name. */
export const podUidOfLogDirectory = (name: string): string => name.slice(name.lastIndexOf("_") + 1);

/** Names come from an API server that has checked them; a kubelet that deletes directories does not rely on it. */
export function safeName(name: string): string {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) throw new Error(`${JSON.stringify(name)} names no directory`);
  return name;
}
