/** Which servers this user runs: a file for each, by its name. */
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isMissing, readIfThere, writePrivately } from "../access/private-file.ts";
import { isAlive, type ProcessIdentity } from "../process/process-identity.ts";
import { StartError } from "../process/start-error.ts";
import type { Instance } from "./instance.ts";

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ */
export function instancesDir({ XDG_STATE_HOME: home }: Readonly<Record<string, string | undefined>>): string {
  return join(home !== undefined && isAbsolute(home) ? home : join(homedir(), ".local", "state"), "coxswain", "instances");
}

/** A name that is taken. Disposing it gives it back. */
export interface ClaimedName extends Disposable {
  serves(serving: NonNullable<Instance["serving"]>): void;
}

/** @throws StartError when a server of that name runs */
export function claimName(dir: string, instance: Instance): ClaimedName {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = fileOf(dir, instance.name);
  while (!createWhole(path, textOf(instance))) {
    const present = readInstance(path);
    if (present !== undefined && isAlive(present)) throw alreadyRuns(present);
    removeIfStill(path, present);
  }
  return {
    serves: ({ server, kubeconfig }) => writePrivately(path, textOf({ ...instance, serving: { server, kubeconfig } })),
    [Symbol.dispose]: () => removeIfStill(path, instance),
  };
}

/** Those that run, by their names. */
export function runningInstances(dir: string): Instance[] {
  const names = namesIn(dir).filter((name) => name.endsWith(".json"));
  const present = names.sort().flatMap((name) => readInstance(join(dir, name)) ?? []);
  return present.filter(isAlive);
}

const fileOf = (dir: string, name: string): string => join(dir, `${name}.json`);

const textOf = (instance: Instance): string => `${JSON.stringify(instance)}\n`;

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Nobody ever sees a part of it. False when there is one already. */
function createWhole(path: string, text: string): boolean {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, text, { mode: 0o600 });
  try {
    linkSync(next, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(next, { force: true });
  }
}

/** Another process may have put its own there meanwhile: that one stays. `seen` is undefined for what is no record. */
function removeIfStill(path: string, seen: ProcessIdentity | undefined): void {
  const aside = `${path}.${process.pid}.old`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  const found = readInstance(aside);
  if (found?.pid !== seen?.pid || found?.startTime !== seen?.startTime) renameSync(aside, path);
  else rmSync(aside);
}

function readInstance(path: string): Instance | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const { name, pid, startTime, startedAt, ...rest } = JSON.parse(text) as Partial<Instance>;
    if (typeof name !== "string" || typeof pid !== "number" || typeof startTime !== "string" || typeof startedAt !== "number")
      return undefined;
    return { version: "", ...rest, name, pid, startTime, startedAt };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const alreadyRuns = ({ name, pid, serving }: Instance): StartError =>
  new StartError(
    `a server with the name ${name} already runs (process ${pid}${serving === undefined ? "" : ` at ${serving.server}`}); stop it with \`coxswain stop --name=${name}\`, or choose another --name`,
  );
