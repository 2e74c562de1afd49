/** Reads the facts of this machine. What is unknown is reported as the real kubelet reports it: empty, or unknown. */

import { createHash } from "node:crypto";
import { readFile, statfs } from "node:fs/promises";
import { arch, availableParallelism, hostname, networkInterfaces, platform, release, totalmem } from "node:os";
import { trimLeft, trimRight } from "@coxswain/machinery";
import type { Machine } from "./machine.ts";

/** `rootDir` is where the kubelet keeps what its Pods have: its file system is the node's storage. */
export async function thisMachine(rootDir: string): Promise<Machine> {
  const [machineId, systemUuid, bootId, osImage, storage, limit] = await Promise.all([
    textOf("/etc/machine-id"),
    textOf("/sys/class/dmi/id/product_uuid"),
    textOf("/proc/sys/kernel/random/boot_id"),
    osImageOf(),
    statfs(rootDir),
    memoryLimit(),
  ]);
  const name = nodeNameOf(hostname());
  // Machines without an identity, such as containers, get one that is the same each time.
  const identity = machineId || createHash("sha256").update(`${name} ${platform()}`).digest("hex").slice(0, 32);
  return {
    hostname: name,
    operatingSystem: platform() === "win32" ? "windows" : platform(),
    architecture: arch() === "x64" ? "amd64" : arch(),
    kernelVersion: release(),
    osImage,
    machineId: identity,
    systemUuid: systemUuid || identity,
    bootId,
    cpus: availableParallelism(),
    memoryBytes: Math.min(totalmem(), limit),
    storageBytes: storage.bsize * storage.blocks,
    addresses: addressesOf(),
  };
}

/** What a Node may be called. */
export const nodeNameOf = (host: string): string =>
  trimLeft(trimRight(host.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, "-"), ".-"), ".-") || "localhost";

const textOf = async (path: string): Promise<string> => (await readFile(path, "utf8").catch(() => "")).trim();

async function osImageOf(): Promise<string> {
  const release = await textOf("/etc/os-release");
  const [, pretty] = /^PRETTY_NAME=["']?(.*?)["']?$/m.exec(release) ?? [];
  return pretty ?? (platform() === "darwin" ? "macOS" : "Unknown");
}

/** Of the cgroup that this process is in: a container has less than its host. */
async function memoryLimit(): Promise<number> {
  const limits = await Promise.all(["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].map(textOf));
  return Math.min(...limits.map((text) => (/^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY)));
}

function addressesOf(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const v4First = [...all].sort((a, b) => (a.family === b.family ? 0 : a.family === "IPv4" ? -1 : 1));
  const outside = v4First.filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  return outside.length > 0 ? outside.map(({ address }) => address) : ["127.0.0.1"];
}
