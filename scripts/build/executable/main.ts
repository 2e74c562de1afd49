/** What the single executable runs, in its main thread and in others: finds the command among its assets. */
import { getAssetKeys, getRawAsset } from "node:sea";
import { isMainThread } from "node:worker_threads";
import { chunksOf } from "./chunks.ts";
import { provideOwnPackages } from "./own-packages.ts";

const keys = new Set(getAssetKeys());
const read = (name: string): Uint8Array | undefined => (keys.has(name) ? new Uint8Array(getRawAsset(name)) : undefined);
const text = (name: string): string => Buffer.from(read(name) ?? []).toString();
const { load } = chunksOf({
  read,
  get thread() {
    return { source: text("main.cjs"), args: [] };
  },
});

const [first = ""] = process.argv.slice(2);
// Where files of users are loaded: the scheduler's plugins are in the thread of the scheduler.
if (isMainThread || first === "component-thread.js") provideOwnPackages(load);
if (!isMainThread) load(first);
else if (first === "licences" || first === "--licences") process.stdout.write(text("licences"));
else void (load("command.js") as { runCommand(args: readonly string[]): Promise<void> }).runCommand(process.argv.slice(2));
