/** The processes that histories are recorded of, and the links between them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainFile } from "../../../conformance/command-under-test.ts";
import { etcdPrograms } from "../../../etcd-program.ts";
import { freePort } from "../../../free-port.ts";
import { Child } from "./child.ts";
import { isEtcdHealthy, memberId } from "./etcd-api.ts";
import { Link } from "./link.ts";

/** One server with a file of its own, two or four threads that are servers on one, one server on three members of etcd, or three on them. */
export const layouts = ["embedded", "embedded2", "embedded4", "etcd", "etcd3"] as const;
export type Layout = (typeof layouts)[number];

const threadsOf: Readonly<Partial<Record<Layout, number>>> = { embedded: 1, embedded2: 2, embedded4: 4 };
const isEmbedded = (layout: Layout): boolean => threadsOf[layout] !== undefined;

/** Who may do everything, by this token. */
export const token = "robustness";

export interface Server {
  readonly name: string;
  readonly process: Child;
  /** Through which clients reach it. */
  readonly link: Link;
  readonly url: string;
  /** Of its process: connections are spread over them. */
  readonly threads: number;
  /** Sets its calendar so far ahead of the machine's. Milliseconds. */
  setClock(offsetMs: number): void;
}

export interface Member {
  readonly name: string;
  readonly process: Child;
  /** Without a link between. */
  readonly url: string;
  /** As it calls itself to other members. */
  readonly id: string;
}

export interface Cluster extends AsyncDisposable {
  readonly layout: Layout;
  readonly servers: readonly Server[];
  readonly members: readonly Member[];
  /** From each server to each member, and into each member from the others. */
  readonly links: { readonly toEtcd: readonly Link[]; readonly peers: readonly Link[] };
  readonly folder: string;
  /** Where the small disk is, if there is one; and whether etcd has a quota. */
  readonly disk: string | undefined;
  readonly hasQuota: boolean;
  /** All run, and all serve. @throws Error */
  recover(): Promise<void>;
}

export interface ClusterOptions {
  readonly layout: Layout;
  /** A folder on a small file system: of the first member of etcd, or of the embedded store. Then etcd waits for its disk. */
  readonly disk?: string;
  readonly quotaBytes?: number;
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { layout } = options;
  const folder = mkdtempSync(join(tmpdir(), "coxswain-robustness-"));
  await using started = new AsyncDisposableStack();
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const etcd = isEmbedded(layout) ? undefined : await startEtcd(folder, options, started);
  const count = layout === "etcd3" ? 3 : 1;
  const toEtcd: Link[] = [];
  const servers: Server[] = [];
  for (let i = 1; i <= count; i++) {
    const links = (etcd?.members ?? []).map(({ name, port }) => new Link({ name: `server-${i} to ${name}`, targetPort: port }));
    for (const link of links) started.use(link);
    const ports = await Promise.all(links.map((link) => link.listen()));
    toEtcd.push(...links);
    servers.push(await startServer(`server-${i}`, { folder, options, etcd: ports.map((port) => `http://127.0.0.1:${port}`) }, started));
  }
  await Promise.all(servers.map((server) => server.process.run()));
  const all = started.move();
  return {
    ...{ layout, servers, folder, members: etcd?.members ?? [], links: { toEtcd, peers: etcd?.peers ?? [] } },
    ...{ disk: options.disk, hasQuota: options.quotaBytes !== undefined },
    async recover() {
      await Promise.all((etcd?.members ?? []).map((member) => member.process.run()));
      await Promise.all(servers.map((server) => server.process.run()));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface ServerPlace {
  readonly folder: string;
  readonly options: ClusterOptions;
  readonly etcd: readonly string[];
}

async function startServer(name: string, { folder, options, etcd }: ServerPlace, started: AsyncDisposableStack): Promise<Server> {
  const own = join(folder, name);
  const [clockFile, users] = [join(own, "clock"), join(own, "tokens.csv")];
  mkdirSync(own);
  writeFileSync(clockFile, "0");
  writeFileSync(users, `${token},tester,tester,"system:masters"\n`);
  const port = await freePort();
  const threads = threadsOf[options.layout] ?? 1;
  const process = new Child({
    name,
    program: globalThis.process.execPath,
    args: [
      ...["--import", join(import.meta.dirname, "clock-steps.mjs"), mainFile, "--apiserver-only", `--port=${port}`],
      ...[
        `--data-dir=${etcd.length === 0 && options.disk !== undefined ? join(options.disk, name) : join(own, "data")}`,
        `--kubeconfig=${join(own, "kubeconfig")}`,
      ],
      ...[`--token-auth-file=${users}`, "--log-level=warn", "--etcd-compaction-interval=2s"],
      ...(threads === 1 ? [] : [`--servers=${threads}`]),
      ...(etcd.length === 0 ? [] : [`--etcd-servers=${etcd.join(",")}`]),
    ],
    env: { COXSWAIN_CLOCK_FILE: clockFile },
    logFile: join(own, "log"),
    isReady: () => isReady(port),
  });
  started.use(process);
  const link = started.use(new Link({ name: `clients to ${name}`, targetPort: port }));
  return {
    ...{ name, process, link, threads, url: `https://127.0.0.1:${await link.listen()}` },
    setClock(offsetMs) {
      writeFileSync(clockFile, String(offsetMs));
      process.signal("SIGUSR2");
    },
  };
}

type StartedMember = Member & { readonly port: number };

async function startEtcd(
  folder: string,
  { disk, quotaBytes }: ClusterOptions,
  started: AsyncDisposableStack,
): Promise<{ readonly members: readonly StartedMember[]; readonly peers: readonly Link[] }> {
  const names = ["etcd-1", "etcd-2", "etcd-3"];
  const ports = await Promise.all(names.map(async () => ({ client: await freePort(), peer: await freePort() })));
  const peers = names.map((name, i) => new Link({ name: `peers to ${name}`, targetPort: ports[i]?.peer ?? 0, identify: sender }));
  for (const link of peers) started.use(link);
  const peerUrls = await Promise.all(peers.map(async (link) => `http://127.0.0.1:${await link.listen()}`));
  const flags = [
    // Processes are killed, not machines: what is in the page cache stays.
    ...(disk === undefined ? ["--unsafe-no-fsync=true"] : []),
    ...(quotaBytes === undefined ? [] : [`--quota-backend-bytes=${quotaBytes}`]),
  ];
  const processes = names.map((name, i) => {
    const dataDir = join(i === 0 && disk !== undefined ? disk : folder, name);
    const { client = 0, peer = 0 } = ports[i] ?? {};
    const url = `http://127.0.0.1:${client}`;
    return new Child({
      name,
      program: etcdProgram()?.path ?? "etcd",
      args: [
        ...[`--name=${name}`, `--data-dir=${dataDir}`, `--listen-client-urls=${url}`],
        ...[`--advertise-client-urls=${url}`, `--listen-peer-urls=http://127.0.0.1:${peer}`],
        ...[`--initial-advertise-peer-urls=${peerUrls[i]}`, "--log-level=warn", "--heartbeat-interval=50", "--election-timeout=500"],
        `--initial-cluster=${names.map((one, j) => `${one}=${peerUrls[j]}`).join(",")}`,
        ...flags,
      ],
      logFile: join(folder, `${name}.log`),
      isReady: () => isEtcdHealthy(url),
    });
  });
  for (const process of processes) started.use(process);
  for (const process of processes) process.spawn();
  await Promise.all(processes.map((process) => process.run()));
  const members = processes.map(async (process, i) => {
    const { client: port = 0 } = ports[i] ?? {};
    const url = `http://127.0.0.1:${port}`;
    return { name: process.name, process, port, url, id: await memberId(url) };
  });
  return { members: await Promise.all(members), peers };
}

/** Members say in the head of a connection's first request who they are. */
const sender = (head: Buffer): string | undefined => /^x-server-from: *([0-9a-f]+)\r$/im.exec(head.toString("latin1"))?.[1];

const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    // A list of the newest state: /readyz alone would not ask etcd.
    const path = "/api/v1/namespaces?limit=1";
    const asked = get({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, timeout: 2_000, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode === 200));
      answer.on("error", () => resolve(false));
    });
    asked.on("timeout", () => asked.destroy(new Error("no answer")));
    asked.on("error", () => resolve(false));
  });

const etcdProgram = () => etcdPrograms().find(({ version }) => version !== undefined);

/** Undefined where the layout can be tried: etcd has to be 3.4 or newer. */
export function whyNot(layout: Layout): string | undefined {
  if (isEmbedded(layout)) return process.platform === "linux" || layout === "embedded" ? undefined : "threads share a port on Linux";
  const version = etcdProgram()?.version;
  if (version === undefined) return "etcd is not installed";
  const [, minor = "0"] = /^3\.(\d+)/.exec(version) ?? [];
  return Number(minor) >= 4 ? undefined : `etcd ${version} is older than 3.4`;
}
