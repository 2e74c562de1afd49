/** Several servers on one etcd; controllers, scheduler and nodes in processes of their own, each as who it is in Kubernetes. */
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { mainFile } from "../../tests/conformance/command-under-test.ts";
import { etcdPrograms } from "../../tests/etcd-program.ts";
import { freePort } from "../../tests/free-port.ts";
import type { Options } from "./options.ts";
import { createProcesses, type Processes } from "./processes.ts";
import { admin, callerName, tokenFile, tokenOf } from "./tokens.ts";

export interface Cluster extends AsyncDisposable {
  readonly folder: string;
  readonly processes: Processes;
  /** For an administrator, of each server. */
  readonly kubeconfigs: readonly string[];
  /** For a user with the rights of an administrator whose requests take turns with those of others. */
  readonly userKubeconfigs: readonly string[];
  /** Of its file, and what of that holds what is kept. */
  etcdSize(): Promise<{ readonly megabytes: number; readonly usedMegabytes: number }>;
  startComponents(): void;
}

const readyMs = 60_000;

/** Undefined where there is no etcd. */
export async function startServers(options: Options): Promise<Cluster | undefined> {
  const etcd = etcdPrograms().find(({ version }) => version !== undefined);
  if (etcd === undefined) return undefined;
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "coxswain-servers-"));
  const processes = stack.use(createProcesses(folder));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [client, peer] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const place = [`--data-dir=${join(folder, "etcd")}`, "--name=one", "--log-level=error", "--quota-backend-bytes=8589934592"];
  const clients = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`];
  const peers = [`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=one=${peer}`];
  processes.start("etcd", etcd.path, [...place, ...clients, ...peers]);
  writeFileSync(join(folder, "tokens.csv"), tokenFile(options.nodes));
  const kubeconfigs: string[] = [];
  for (let i = 1; i <= options.servers; i++) {
    const dataDir = join(folder, `server${i}`);
    // One authority and one key for tokens.
    if (i > 1) cpSync(join(folder, "server1/pki"), join(dataDir, "pki"), { recursive: true });
    kubeconfigs.push(await startServer({ processes, options, folder, name: `server${i}`, etcd: client }));
  }
  const owned = stack.move();
  return {
    folder,
    processes,
    kubeconfigs,
    userKubeconfigs: kubeconfigs.map((path) => kubeconfigFor(path, callerName)),
    etcdSize: () => etcdSize(client),
    startComponents: () => startComponents({ processes, options, folder, kubeconfigs }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function etcdSize(url: string): ReturnType<Cluster["etcdSize"]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const megabytes = (name: string): number => Math.round(Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]) / 1e6);
  return {
    megabytes: megabytes("etcd_mvcc_db_total_size_in_bytes"),
    usedMegabytes: megabytes("etcd_mvcc_db_total_size_in_use_in_bytes"),
  };
}

interface ServerSetting {
  readonly processes: Processes;
  readonly options: Options;
  readonly folder: string;
  readonly name: string;
  readonly etcd: string;
}

/** Resolves with its kubeconfig once it is ready. */
async function startServer({ processes, options, folder, name, etcd }: ServerSetting): Promise<string> {
  const dataDir = join(folder, name);
  mkdirSync(dataDir, { recursive: true });
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  const port = await freePort();
  const state = [`--name=${name}`, `--data-dir=${dataDir}`, `--etcd-servers=${etcd}`, `--port=${port}`, `--kubeconfig=${kubeconfig}`];
  const parts = ["--apiserver-only", `--token-auth-file=${join(folder, "tokens.csv")}`];
  const child = processes.start(name, process.execPath, [...profiling(options, name), mainFile, ...state, ...parts]);
  const logOf = () => readFileSync(join(folder, `${name}.log`), "utf8");
  const died = once(child, "exit").then(() => Promise.reject(new Error(`${name} has ended:\n${logOf()}`)));
  died.catch(() => undefined);
  const pause = () => rest(100);
  await Promise.race([died, waitUntil(`${name} to be ready`, () => isReady(port), { limitMs: readyMs, pause })]);
  return kubeconfigOf(`https://127.0.0.1:${port}`, { folder, name });
}

/** Whether it serves; its certificate is looked at by those who know its authority. */
async function isReady(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

interface ComponentsSetting extends Omit<ServerSetting, "name" | "etcd"> {
  readonly kubeconfigs: readonly string[];
}

/** Controllers and scheduler each with a server, nodes with all of them. */
function startComponents({ processes, options, folder, kubeconfigs }: ComponentsSetting): void {
  const [first = "", second = first] = kubeconfigs;
  const start = (name: string, file: string, args: readonly string[]): void => {
    processes.start(name, process.execPath, [...profiling(options, name), file, ...args]);
  };
  const authority = join(folder, "server1/pki/ca.crt");
  const controllers = ["controllers", `--kubeconfig=${kubeconfigFor(first, "system:kube-controller-manager")}`];
  const { podsPerSecond: rate } = options;
  const limits = rate === undefined ? [] : [`--kube-api-qps=${rate}`, `--kube-api-burst=${rate}`];
  start("controllers", mainFile, [...controllers, "--use-service-account-credentials", `--root-ca-file=${authority}`, ...limits]);
  start("scheduler", mainFile, ["scheduler", `--kubeconfig=${kubeconfigFor(second, "system:kube-scheduler")}`]);
  start("nodes", join(import.meta.dirname, "nodes.ts"), [`${options.nodes}`, `${options.nodesInFlight}`, ...kubeconfigs]);
}

function kubeconfigOf(server: string, { folder, name }: { readonly folder: string; readonly name: string }): string {
  const authority = readFileSync(join(folder, name, "pki/ca.crt")).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name, user: { token: tokenOf(admin) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
  return written(join(folder, `${name}.admin`), config);
}

/** The same, for another user. */
function kubeconfigFor(kubeconfig: string, user: string): string {
  const config = JSON.parse(readFileSync(kubeconfig, "utf8"));
  config.users[0].user = { token: tokenOf(user) };
  return written(`${kubeconfig}.${user.replaceAll(":", "-")}`, config);
}

function written(path: string, config: object): string {
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const profiling = ({ profiles }: Options, name: string): readonly string[] =>
  profiles === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${name}.cpuprofile`];
