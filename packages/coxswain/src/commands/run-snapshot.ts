/** `coxswain snapshot`: a whole state as one file. */
import { StorageError } from "@coxswain/store";
import { openSnapshot, type SnapshotFacts } from "@coxswain/store/transfer";
import type { StateEnd } from "../cluster/transfer-state.ts";
import { parseSnapshotOptions, type SnapshotOptions } from "../options/snapshot-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";
import { runTransfer } from "./run-transfer.ts";
import { transferText } from "./transfer-text.ts";

export async function runSnapshot(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseSnapshotOptions(args, process.env, output));
  if (options === undefined) return;
  const { action, file, place, output } = options;
  if (action === "status") return void process.stdout.write(statusText(await factsOf(file), output));
  const snapshot: StateEnd = { kind: "snapshot", path: file };
  const ends = action === "save" ? { from: place, to: snapshot } : { from: snapshot, to: place };
  const report = await runTransfer({ ...ends, replace: options.replace, encryptionConfig: options.encryptionConfig });
  process.stdout.write(transferText(report, ends));
}

/** @throws StartError for what is no snapshot, or a damaged one */
async function factsOf(path: string): Promise<SnapshotFacts> {
  try {
    const { source, facts } = await openSnapshot(path);
    await source[Symbol.asyncDispose]();
    return facts;
  } catch (error) {
    throw error instanceof StorageError ? new StartError(error.message, { cause: error }) : error;
  }
}

function statusText({ takenAt, ...facts }: SnapshotFacts, output: SnapshotOptions["output"]): string {
  const taken = new Date(takenAt).toISOString();
  if (output === "json") return `${JSON.stringify({ ...facts, takenAt: taken }, undefined, 2)}\n`;
  const { revision, entries, bytes, digest, prefix } = facts;
  const rows = [
    ["REVISION", String(revision)],
    ["OBJECTS", String(entries)],
    ["BYTES", String(bytes)],
    ["DIGEST", digest],
    ["PREFIX", prefix],
    ["TAKEN", taken],
  ] as const;
  return rows.map(([name, value]) => `${name.padEnd(10)}${value}\n`).join("");
}
