/** Moves a whole state for a command: opens both ends, converts what is between them, and says how far it is. */
import { mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Log, Metrics, versionInfo } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, type RandomSource } from "@coxswain/machinery";
import { StorageError, type ValueTransformer } from "@coxswain/store";
import {
  createSnapshot,
  openEtcdSource,
  openEtcdTarget,
  openFileSource,
  openFileTarget,
  openSnapshot,
  type StateSource,
  type StateTarget,
  type Transferred,
  transferState,
} from "@coxswain/store/transfer";
import { prepareDataDirectory } from "../access/data-directory.ts";
import { openEncryption } from "../access/encryption.ts";
import type { StatePlace } from "../options/state-place.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { type ConversionReport, conversionOf } from "./convert-values.ts";
import { etcdTlsOf } from "./open-store.ts";

/** One end: a place of servers, or a snapshot. */
export type StateEnd = StatePlace | { readonly kind: "snapshot"; readonly path: string };

export interface Transfer {
  readonly from: StateEnd;
  readonly to: StateEnd;
  readonly replace: boolean;
  readonly encryptionConfig: string | undefined;
}

export interface TransferDependencies {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly onProgress: (done: { readonly entries: number; readonly of: number }) => void;
}

export interface TransferReport extends Transferred, ConversionReport {
  /** Of the source. */
  readonly sourceRevision: number;
}

/** @throws StartError */
export async function moveState(transfer: Transfer, dependencies: TransferDependencies): Promise<TransferReport> {
  try {
    return await move(transfer, dependencies);
  } catch (error) {
    if (error instanceof StorageError) throw new StartError(error.message, { cause: error });
    throw error instanceof Error && "syscall" in error ? startErrorOf("cannot move the state", error) : error;
  }
}

async function move(transfer: Transfer, dependencies: TransferDependencies): Promise<TransferReport> {
  const { clock, onProgress } = dependencies;
  await using stack = new AsyncDisposableStack();
  const source = stack.use(await openSource(transfer, clock));
  const target = stack.use(await openTarget(transfer, source, dependencies));
  const prefixes = { from: source.prefix, to: target.prefix };
  const encryption = await encryptionOf(transfer.encryptionConfig, prefixes, { ...dependencies, stack });
  const isForDirectory = transfer.to.kind === "directory";
  const { convert, report } = conversionOf({ prefixes, encryption, isForDirectory, now: clock.now() });
  const transferred = await transferState(source, target, { convert, onProgress });
  return { ...transferred, ...report, sourceRevision: source.revision };
}

/** Of a snapshot that is taken, the server that has the data directory may go on. */
async function openSource({ from, to }: Transfer, clock: Clock): Promise<StateSource> {
  switch (from.kind) {
    case "directory": {
      const path = dataFileOf(from.path);
      if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new StartError(`there is no state in ${from.path}`);
      return openFileSource(path, to.kind === "snapshot" ? { live: true, temporary: dirname(resolve(to.path)) } : {});
    }
    case "etcd":
      return await openEtcdSource({ ...from.settings, tls: etcdTlsOf(from.settings), clock });
    case "snapshot":
      return (await openSnapshot(from.path)).source;
  }
}

async function openTarget(
  { to, replace: replaces }: Transfer,
  source: StateSource,
  { clock, random }: TransferDependencies,
): Promise<StateTarget> {
  const { revision, prefix } = source;
  switch (to.kind) {
    case "directory":
      prepareDataDirectory(resolve(to.path));
      return openFileTarget({ path: dataFileOf(to.path), revision, replaces, now: clock.now() });
    case "etcd":
      return await openEtcdTarget({ ...to.settings, tls: etcdTlsOf(to.settings), replaces, source, clock, random });
    case "snapshot":
      mkdirSync(dirname(resolve(to.path)), { recursive: true, mode: 0o700 });
      return createSnapshot({ path: to.path, revision, prefix, now: clock.now() });
  }
}

const dataFileOf = (path: string): string => join(resolve(path), "state.db");

async function encryptionOf(
  configFile: string | undefined,
  prefixes: { readonly from: string; readonly to: string },
  { clock, log, stack }: TransferDependencies & { readonly stack: AsyncDisposableStack },
): Promise<{ readonly from: ValueTransformer; readonly to: ValueTransformer } | undefined> {
  if (configFile === undefined) return undefined;
  const metrics = new Metrics({ startedAt: clock.now() / 1000, build: versionInfo("", ""), serverId: "" });
  const at = (etcdPrefix: string) => openEncryption({ configFile, reload: false }, { clock, log, metrics, etcdPrefix });
  const from = stack.use(await at(prefixes.from)).transformer;
  const to = prefixes.from === prefixes.to ? from : stack.use(await at(prefixes.to)).transformer;
  return from === undefined || to === undefined ? undefined : { from, to };
}
