/** Whether this machine can run containers: every test of them asks, and skips with the reason. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";

const needed = ["containerd", "ctr", "runc", "busybox", "iptables", "tar"];
export const cniFolder = ["/usr/lib/cni", "/opt/cni/bin"].find((folder) => isExecutable(join(folder, "bridge")));

let answer: { readonly reason: string | undefined } | undefined;

/** Undefined: it can. */
export function whyNoContainers(): string | undefined {
  answer ??= { reason: reason() };
  return answer.reason;
}

/** Undefined: a process can have a network and mounts of its own. */
export function whyNoNamespaces(): string | undefined {
  if (process.platform !== "linux") return "namespaces need Linux";
  if (process.getuid?.() !== 0) return "namespaces need root";
  const missing = ["unshare", "ip"].filter((name) => binary(name) === undefined);
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  const { status, stderr } = spawnSync("unshare", ["--net", "--mount", "true"], { encoding: "utf8" });
  return status === 0 ? undefined : `no namespaces of one's own: ${stderr.trim()}`;
}

/** From now on this process, and what it starts, takes the programs that stand beside this one, which may be another containerd. */
export function useProgramsBeside(program: string): void {
  const [folder, { PATH = "" }] = [dirname(program), process.env];
  if (PATH.split(":")[0] !== folder) process.env.PATH = `${folder}:${PATH}`;
}

/** Where it is installed: system programs stand in folders that not every user's PATH has. */
export function binary(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/local/sbin", "/usr/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function reason(): string | undefined {
  const noNamespaces = whyNoNamespaces();
  if (noNamespaces !== undefined) return noNamespaces;
  const missing = needed.filter((name) => binary(name) === undefined);
  if (missing.length > 0) return `not installed: ${missing.join(", ")}`;
  return cniFolder === undefined ? "not installed: the CNI plugins" : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
