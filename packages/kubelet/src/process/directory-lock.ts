/** Keeps two runtimes out of one directory, and lets a new one in when the old one has died. */
import { rm } from "node:fs/promises";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { readState, writeState } from "./container-directory.ts";
import { processFacts } from "./process-identity.ts";

/** @throws RuntimeError when a process that runs has it */
export async function takeLock(path: string): Promise<AsyncDisposable> {
  const holder = await readState(path);
  if (isHolder(holder) && holder.pid !== process.pid && (await processFacts(holder.pid))?.started === holder.started) {
    throw new RuntimeError("refused", `${path} is held by the process ${holder.pid}: two runtimes cannot share a directory`);
  }
  await writeState(path, { pid: process.pid, started: (await processFacts(process.pid))?.started ?? "" });
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

const isHolder = (value: unknown): value is { readonly pid: number; readonly started: string } =>
  typeof value === "object" && value !== null && "pid" in value && typeof value.pid === "number" && "started" in value;
