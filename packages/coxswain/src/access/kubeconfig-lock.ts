/** Keeps others from changing a kubeconfig meanwhile, as kubectl does: by a file beside it. */
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Clock, sleep } from "@coxswain/machinery";
import { StartError, startErrorOf } from "../process/start-error.ts";

/** kubectl holds it for as long as it takes to write one file; whatever holds it longer has died. */
const maxWaitMs = 5_000;
const pollIntervalMs = 20;

/** @throws StartError when somebody else keeps the lock, or no file can be made there */
export async function withKubeconfigLock<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  makeFolder(path);
  const deadline = clock.monotonic() + maxWaitMs;
  while (!take(lock)) {
    if (clock.monotonic() >= deadline) throw new StartError(`${lock} is there, so another program changes ${path}; remove it if none does`);
    await sleep(clock, pollIntervalMs);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw startErrorOf(`cannot make the folder of ${path}`, error);
  }
}

function take(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o000));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw startErrorOf("cannot lock the kubeconfig", error);
  }
}
