/** An etcd for tests, in a folder of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { type EtcdProgram, etcdPrograms } from "./etcd-program.ts";
import { freePort } from "./free-port.ts";

const anEtcd = (): EtcdProgram | undefined => etcdPrograms().find(({ version }) => version !== undefined);

/** Undefined where one can be started. */
export const whyNoEtcd = (): string | undefined => (anEtcd() === undefined ? "etcd is not installed" : undefined);

export interface EtcdUnderTest extends AsyncDisposable {
  readonly url: string;
  readonly process: ChildProcess;
  /** Until it gets SIGCONT it answers nothing; resolves once that is so. */
  freeze(): Promise<void>;
}

/** Answers when it resolves. */
export async function startEtcd(...flags: readonly string[]): Promise<EtcdUnderTest> {
  const program = anEtcd();
  if (program === undefined) throw new Error(whyNoEtcd());
  return await startEtcdProgram(program, ...flags);
}

async function startEtcdProgram({ path }: EtcdProgram, ...flags: readonly string[]): Promise<EtcdUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-etcd-"));
  const [client, peer] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const child = spawn(
    path,
    [
      ...["--name=one", `--data-dir=${folder}`, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`],
      ...[`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=one=${peerUrl}`],
      ...["--unsafe-no-fsync=true", ...flags],
    ],
    { stdio: "ignore" },
  );
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const died = once(child, "exit").then(() => Promise.reject(new Error("etcd has ended")));
    died.catch(() => undefined);
    await Promise.race([died, waitUntil("etcd to answer", () => isHealthy(url))]);
    return { url, process: child, freeze: () => freeze(child), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What tests show with each etcd that is there, in a suite for each. */
export function suiteOnEachEtcd(name: string, define: (start: typeof startEtcd, version: string) => void): void {
  for (const program of etcdPrograms()) {
    const { path, version = path } = program;
    const skip = program.version === undefined ? "not installed" : false;
    suite(`${name} etcd ${version}`, { skip }, () => define((...flags) => startEtcdProgram(program, ...flags), version));
  }
}

async function freeze(child: ChildProcess): Promise<void> {
  child.kill("SIGSTOP");
  // A signal is delivered some moments after it was sent.
  await waitUntil("the process to stand still", () => stateOf(child).startsWith("T"));
}

const stateOf = ({ pid }: ChildProcess): string => spawnSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();

const isHealthy = async (url: string): Promise<boolean> =>
  await fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
