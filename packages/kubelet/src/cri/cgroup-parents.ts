/** The control groups in which a runtime puts the containers of a Pod: runtimes make them, and leave them behind empty. */
import { readdir, readFile, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CriConnection } from "./cri-connection.ts";

export interface CgroupParents {
  /** As the runtime's driver of control groups wants it. */
  named(parent: string, signal: AbortSignal): Promise<string>;
  /** While its first process lives, best before it is stopped. */
  remember(sandboxId: string, signal: AbortSignal): Promise<void>;
  /** After it was removed, when no other sandbox of the Pod is left: groups in use stay. */
  remove(sandboxId: string): Promise<void>;
}

/** What `verbose` answers have in `info`: containerd's and CRI-O's own JSON. */
interface SandboxInfo {
  readonly pid?: number;
  readonly config?: { readonly linux?: { readonly cgroup_parent?: string } };
}

interface RuntimeInfo {
  readonly containerd?: {
    readonly defaultRuntimeName?: string;
    readonly runtimes?: Readonly<Record<string, { readonly options?: { readonly SystemdCgroup?: boolean } }>>;
  };
}

export function cgroupParents(connection: CriConnection): CgroupParents {
  /** Directories of Pods, one for each hierarchy, by sandbox. */
  const directories = new Map<string, readonly string[]>();
  /** Under which directories relative parents lie: the runtime's own groups. */
  const roots = new Set<string>();
  let systemd: Promise<boolean> | undefined;
  return { named, remember, remove };

  async function named(parent: string, signal: AbortSignal): Promise<string> {
    if (systemd === undefined) {
      systemd = isSystemd(connection, signal);
      systemd.catch(() => {
        systemd = undefined;
      });
    }
    return (await systemd) ? sliceName(parent) : parent;
  }

  async function remember(sandboxId: string, signal: AbortSignal): Promise<void> {
    if (directories.has(sandboxId)) return;
    const { info } = await connection.call("PodSandboxStatus", { podSandboxId: sandboxId, verbose: true }, { signal });
    const { pid, config }: SandboxInfo = JSON.parse(info.info ?? "{}");
    const parent = config?.linux?.cgroup_parent;
    if (parent === undefined || parent === "" || parent.endsWith(".slice")) return;
    const inside = `/${parent.replace(/^\/+|\/+$/g, "")}`;
    if (pid !== undefined && pid > 0)
      for (const group of await groupsOf(pid)) {
        const at = group.indexOf(`${inside}/`);
        if (at >= 0) roots.add(group.slice(0, at));
      }
    directories.set(
      sandboxId,
      [...roots].map((root) => root + inside),
    );
  }

  async function remove(sandboxId: string): Promise<void> {
    const parents = directories.get(sandboxId) ?? [];
    directories.delete(sandboxId);
    await Promise.all(parents.map(removeEmpty));
  }
}

/** A slice's name holds those that it is in: `coxswain/1-2` is `coxswain-1_2.slice`. */
export function sliceName(parent: string): string {
  const parts = parent.split("/").filter((part) => part !== "");
  return `${parts.map((part) => part.replaceAll("-", "_")).join("-")}.slice`;
}

async function isSystemd(connection: CriConnection, signal: AbortSignal): Promise<boolean> {
  try {
    const { linux } = await connection.call("RuntimeConfig", {}, { signal });
    if (linux !== null) return linux.cgroupDriver === "SYSTEMD";
  } catch {
    // Older runtimes tell it among their own settings, if at all.
  }
  const { info } = await connection.call("Status", { verbose: true }, { signal });
  const { containerd }: RuntimeInfo = JSON.parse(info.config ?? "{}");
  return containerd?.runtimes?.[containerd.defaultRuntimeName ?? "runc"]?.options?.SystemdCgroup === true;
}

/** Where the groups of a process stand in the file system; none when it has ended. */
async function groupsOf(pid: number): Promise<string[]> {
  const [groups, mounts] = await Promise.all([
    readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => ""),
    readFile("/proc/self/mountinfo", "utf8").catch(() => ""),
  ]);
  const hierarchies = mounts.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root = "", mountPoint = ""] = before.split(" ");
    const [type = "", , options = ""] = after.split(" ");
    return type.startsWith("cgroup") ? [{ version2: type === "cgroup2", options: options.split(","), root, mountPoint }] : [];
  });
  return groups.split("\n").flatMap((line) => {
    const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const hierarchy = hierarchies.find(({ version2, options }) =>
      controllers === "" ? version2 : !version2 && controllers.split(",").every((one) => options.includes(one)),
    );
    if (path === "" || hierarchy === undefined) return [];
    const { root, mountPoint } = hierarchy;
    return [join(mountPoint, root !== "/" && path.startsWith(root) ? path.slice(root.length) : path)];
  });
}

/** With the groups in it, and then the one it is in: the kernel refuses what still holds processes or other groups. */
async function removeEmpty(directory: string): Promise<void> {
  await removeTree(directory);
  await rmdir(dirname(directory)).catch(() => undefined);
}

async function removeTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name));
  await rmdir(directory).catch(() => undefined);
}
