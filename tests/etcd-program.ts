/**
 * The etcds that tests start: the one that `COXSWAIN_ETCD` names, or else that of tests/etcd/server, which is built from its Go modules, and
 * the one in the path.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf, type Installed, installed, type Library, readBeside, run } from "./conformance/client-program.ts";

export interface EtcdProgram {
  readonly path: string;
  /** Undefined where it is not to be had. */
  readonly version: string | undefined;
}

const source = join(import.meta.dirname, "etcd/server");
const files = ["go.mod", "go.sum", "main.go"];
const buildMs = 20 * 60_000;

const built: Library = {
  name: "etcd",
  inputs: files.map((file) => readBeside(source, file)),
  install(folder) {
    for (const file of files) copyFileSync(join(source, file), join(folder, file));
    return run("go", ["build", "-trimpath", "-o", "etcd", "."], { cwd: folder, env: { CGO_ENABLED: "0" }, timeoutMs: buildMs });
  },
};

/** Takes some minutes the first time, needs Go and its modules, and is done before tests run: these take what is there. */
export const buildEtcd = async (): Promise<Installed> =>
  process.env.COXSWAIN_ETCD === undefined ? await installed(built) : { folder: process.env.COXSWAIN_ETCD };

function programAt(path: string): EtcdProgram {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return { path, version: /^etcd Version: (\S+)/m.exec(stdout ?? "")?.[1] };
}

/** The one to take first. */
export const etcdPrograms = (): readonly EtcdProgram[] =>
  process.env.COXSWAIN_ETCD === undefined
    ? [programAt(join(folderOf(built), "etcd")), programAt("etcd")]
    : [programAt(process.env.COXSWAIN_ETCD)];
