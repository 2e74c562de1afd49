/**
 * What is known of nodes with namespaces of their own while they run, and after a process was killed: in a folder that ends with the
 * machine's start, as they do. Its path is short: those of sockets may have no more than 107 bytes.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMissing, readIfThere, writePrivately } from "../../access/private-file.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "../../process/process-identity.ts";
import { StartError } from "../../process/start-error.ts";

/** Of all clusters. */
export const runFolders = "/run/coxswain";

export const runFolder = (id: string): string => join(runFolders, id);
export const nodeFolder = (id: string, node: string): string => join(runFolder(id), node);

/** Where the kubelet of a node asks whether NetworkPolicies count for a Pod. */
export const isolationSocket = (folder: string): string => join(folder, "network-policy.sock");

/** Whose nodes they are. */
export interface Owner extends ProcessIdentity {
  /** Where the nodes keep their data. */
  readonly rootDir: string;
  readonly range: string;
  /** Whether the same cluster may start again: what is left of another one is of use to nobody. */
  readonly isKept: boolean;
  readonly nodes: readonly string[];
}

const ownerFile = (id: string): string => join(runFolder(id), "owner.json");

/** Who owned the nodes of this cluster last. @throws StartError where that process runs */
export function formerOwner(id: string): Owner | undefined {
  const owner = readOwner(id);
  if (owner !== undefined && owner.pid !== process.pid && isAlive(owner))
    throw new StartError(`the nodes of ${owner.rootDir} belong to a server that runs (process ${owner.pid})`);
  return owner;
}

export function takeOwnership(id: string, facts: Omit<Owner, keyof ProcessIdentity>): void {
  mkdirSync(runFolder(id), { recursive: true, mode: 0o711 });
  writePrivately(ownerFile(id), JSON.stringify({ ...ownIdentity(), ...facts }));
}

/** Clusters whose process has ended without removing them, and that will not start again. */
export function abandoned(): readonly { readonly id: string; readonly owner: Owner }[] {
  return entries(runFolders).flatMap((id) => {
    const owner = readOwner(id);
    return owner === undefined || owner.isKept || isAlive(owner) ? [] : [{ id, owner }];
  });
}

export function removeRunFolder(id: string): void {
  rmSync(runFolder(id), { recursive: true, force: true });
  if (entries(runFolders).length === 0) rmSync(runFolders, { recursive: true, force: true });
}

/** By a name, so that it is found when this process has ended. */
export function noteProcess(folder: string, name: string, identity: ProcessIdentity): void {
  writePrivately(join(folder, `${name}.json`), JSON.stringify(identity));
}

/** Undefined where it was not noted, or has ended. */
export function notedProcess(folder: string, name: string): ProcessIdentity | undefined {
  const text = readIfThere(join(folder, `${name}.json`));
  const identity: ProcessIdentity | undefined = text === undefined ? undefined : JSON.parse(text);
  return identity !== undefined && isAlive(identity) ? identity : undefined;
}

function readOwner(id: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(ownerFile(id), "utf8"));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
