/** The control groups in which a runtime puts the containers of a Pod: runtimes make them, and leave them behind empty. */

import { access, readdir, readFile, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, sleep, trimLeft, trimRight } from "@coxswain/machinery";
import type { CriConnection } from "./cri-connection.ts";

export interface CgroupParents {
  /** As the runtime's driver of control groups wants it. */
  named(parent: string, signal: AbortSignal): Promise<string>;
  /** Makes a sandbox, whose groups then are known. */
  around(make: () => Promise<string>, signal: AbortSignal): Promise<string>;
  /** While its first process lives: before it is stopped. */
  remember(sandboxId: string, signal: AbortSignal): Promise<void>;
  /** After it was removed. Groups in use stay, and those of another sandbox of its Pod. */
  remove(sandboxId: string): Promise<void>;
}

/** What `verbose` answers have in `info`: containerd's and CRI-O's own JSON. */
interface SandboxInfo {
  readonly pid?: number;
  readonly config?: { readonly linux?: { readonly cgroup_parent?: string } };
}

/** A Pod's group, in one hierarchy. */
interface Parent {
  readonly directory: string;
  /** What it is relative to. */
  readonly root: string;
  /** Those between the two were made for Pods alone: an absolute parent may be inside one of another program. */
  readonly shared: boolean;
}

interface RuntimeInfo {
  readonly containerd?: {
    readonly defaultRuntimeName?: string;
    readonly runtimes?: Readonly<Record<string, { readonly options?: { readonly SystemdCgroup?: boolean } }>>;
  };
}

/** After the last process of a group has ended, the kernel needs a while until it can be removed. Milliseconds between attempts. */
const busyMs = [10, 50, 200, 1_000];

export function cgroupParents(connection: CriConnection, clock: Clock): CgroupParents {
  const known = new Map<string, readonly Parent[]>();
  /** Under which directories relative parents lie: the runtime's own groups. */
  const roots = new Set<string>();
  let making = 0;
  let systemd: Promise<boolean> | undefined;
  return { named, around, remember, remove };

  async function named(parent: string, signal: AbortSignal): Promise<string> {
    if (systemd === undefined) {
      systemd = isSystemd(connection, signal);
      systemd.catch(() => {
        systemd = undefined;
      });
    }
    return (await systemd) ? sliceName(parent) : parent;
  }

  async function around(make: () => Promise<string>, signal: AbortSignal): Promise<string> {
    making++;
    try {
      const sandboxId = await make();
      await remember(sandboxId, signal);
      return sandboxId;
    } finally {
      making--;
    }
  }

  /** Not knowing them costs no Pod: what cannot be asked is left out. */
  async function remember(sandboxId: string, signal: AbortSignal): Promise<void> {
    if (known.has(sandboxId)) return;
    const found = await seen(sandboxId, signal);
    if (found === undefined) return;
    // It was stopped before this process began: those that run are below the same.
    for (const id of roots.size === 0 ? await runningSandboxes(connection, signal) : []) if (roots.size === 0) await seen(id, signal);
    // Nor does any run: a runtime that was started with this process has its groups in those that this process is in.
    if (roots.size === 0) for (const root of await rootsAround(found.inside)) roots.add(root);
    known.set(
      sandboxId,
      [...roots].map((root) => ({ directory: root + found.inside, root, shared: found.shared })),
    );
  }

  /** Where its groups are below the runtime's own; undefined where nothing is to be removed. */
  async function seen(sandboxId: string, signal: AbortSignal): Promise<{ readonly inside: string; readonly shared: boolean } | undefined> {
    const answer = await connection.call("PodSandboxStatus", { podSandboxId: sandboxId, verbose: true }, { signal }).catch(() => undefined);
    const { pid = 0, config }: SandboxInfo = JSON.parse(answer?.info.info ?? "{}");
    const parent = config?.linux?.cgroup_parent;
    if (parent === undefined || parent === "" || parent.endsWith(".slice")) return undefined;
    const inside = `/${trimLeft(trimRight(parent, "/"), "/")}`;
    for (const group of pid > 0 ? await groupsOf(pid) : []) {
      const at = group.indexOf(`${inside}/`);
      if (at >= 0) roots.add(group.slice(0, at));
    }
    return { inside, shared: !parent.startsWith("/") };
  }

  async function remove(sandboxId: string): Promise<void> {
    const parents = known.get(sandboxId) ?? [];
    known.delete(sandboxId);
    const inUse = new Set([...known.values()].flat().map(({ directory }) => directory));
    await Promise.all(parents.filter(({ directory }) => !inUse.has(directory)).map(removeParent));
  }

  /** The kernel refuses what still holds processes or other groups. One that is just being made would miss those above it. */
  async function removeParent({ directory, root, shared }: Parent): Promise<void> {
    await removeTree(directory, clock);
    if (!shared) return;
    for (let above = dirname(directory); above.length > root.length && making === 0; above = dirname(above))
      await rmdir(above).catch(() => undefined);
  }
}

async function runningSandboxes(connection: CriConnection, signal: AbortSignal): Promise<string[]> {
  const answer = await connection.call("ListPodSandbox", {}, { signal }).catch(() => undefined);
  return (answer?.items ?? []).flatMap(({ id, state }) => (state === "SANDBOX_READY" ? [id] : []));
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
    // Older runtimes have it among their own settings, if at all.
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

/** Those of this process' groups, and of what they are in, that have this one. */
async function rootsAround(inside: string): Promise<string[]> {
  const found: string[] = [];
  for (const group of await groupsOf(process.pid)) {
    for (let root = group; root !== "/"; root = dirname(root)) {
      if (!(await isThere(root + inside))) continue;
      found.push(root);
      break;
    }
  }
  return found;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function removeTree(directory: string, clock: Clock): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(directory, entry.name), clock);
  for (const pauseMs of [...busyMs, undefined]) {
    const error: unknown = await rmdir(directory).catch((failed: unknown) => failed);
    if (pauseMs === undefined || !(error instanceof Error && "code" in error && error.code === "EBUSY")) return;
    await sleep(clock, pauseMs);
  }
}
