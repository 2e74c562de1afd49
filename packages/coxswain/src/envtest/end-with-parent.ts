/** What envtest has started ends with it, even if it had no time to say so: killed test runs leave nothing. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { type Clock, sleep } from "@coxswain/machinery";

/** How often it is looked whether the parent is still there, in milliseconds. */
const intervalMs = 250;

/** The variable by which the program that an asset starts learns who has started the asset. */
export const parentVariable = "COXSWAIN_ENVTEST_PARENT";

/** Resolves once the process that started this one is gone: children of such a process get another parent. */
export async function parentGone(clock: Clock): Promise<void> {
  const parent = Number(process.env[parentVariable] ?? process.ppid);
  while (process.ppid === parent) await sleep(clock, intervalMs);
}

/** Removes a folder that envtest made for this process and could not remove itself; whatever a user has named stays. */
export function removeFolderOfEnvtest(path: string | undefined): void {
  if (path === undefined || !basename(path).startsWith("k8s_test_framework_") || dirname(resolve(path)) !== resolve(tmpdir())) return;
  rmSync(path, { recursive: true, force: true });
}
