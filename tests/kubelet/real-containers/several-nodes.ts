/** What `npm start -- --runtime=cri --nodes=3` brings up, and what of it there is on this machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, nodes, pods } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { type CommandUnderTest, startCommand } from "../../conformance/command-under-test.ts";
import { type Environment, type Ran, runKubectl } from "../../conformance/kubectl/kubectl.ts";
import { buildImages, images } from "../containerd/images.ts";
import { writeLayout } from "../containerd/oci-layout.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { kubectls, type Pod, whyNoRealCluster } from "./real-cluster.ts";

const runFolders = "/run/coxswain";

export interface SeveralNodes extends AsyncDisposable {
  readonly client: Client;
  readonly id: string;
  /** For `kubectl` and other programs. */
  readonly env: Environment;
  kubectl(words: string | readonly string[], stdin?: string): Promise<string>;
  attempt(words: string | readonly string[], stdin?: string): Promise<Ran>;
  apply(...objects: readonly object[]): Promise<void>;
  podOnce(name: string, holds: (pod: Pod) => boolean): Promise<Pod>;
  nodeOnce(name: string, status: "True" | "Unknown"): Promise<void>;
  /** What a Pod's web server answers to another Pod. */
  fetchedBy(pod: string, address: string, port?: number, path?: string): Promise<string>;
  /** Of one node, in the folder of the cluster that runs. */
  pidOf(node: string, program: "kubelet" | "containerd"): number;
  /** `kill -9` for the command, and a new start. */
  killAndStart(...more: readonly string[]): Promise<void>;
  /** As somebody does who needs it no longer. */
  stop(): Promise<void>;
  /** After `stop`. */
  startAgain(...more: readonly string[]): Promise<void>;
}

/** Undefined: it can. */
export const whyNotSeveral = (): string | undefined =>
  whyNoRealCluster() ?? (binary("nft") === undefined ? "not installed: nft" : undefined);

/** An archive of all images of the tests. */
export function imageArchive(folder: string): string {
  return writeLayout(buildImages(join(folder, "layers")), join(folder, "layout"));
}

export const severalFlags = (archive: string): readonly string[] => [
  "--runtime=cri",
  `--node-images=${archive}`,
  `--pod-infra-container-image=${images.pause}`,
  "--log-level=warn",
];

/** Pods and Services have addresses of both families. */
const ranges = ["--cluster-cidr=10.244.0.0/16,fd00:10:244::/56", "--service-cluster-ip-range=10.96.0.0/12,fd00:10:96::/112"];

export async function startSeveralNodes(nodeCount = 3): Promise<SeveralNodes> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "coxswain-several-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const archive = imageArchive(folder);
  let { command, client } = await start(`--nodes=${nodeCount}`);
  stack.defer(stop);
  const owned = stack.move();
  return {
    get client() {
      return client;
    },
    get id() {
      return clusterIdOf(command.process.pid);
    },
    kubectl,
    attempt,
    get env() {
      return env();
    },
    apply: async (...objects) => void (await kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }))),
    podOnce: async (name, until) => (await waitFor(client, { ref: pods, target: name, until }, { timeoutMs: hangMs }))!,
    async nodeOnce(name, wanted) {
      const until = (node: { status?: { conditions?: { type: string; status: string }[] } }): boolean =>
        node.status?.conditions?.find(({ type }) => type === "Ready")?.status === wanted;
      await waitFor(client, { ref: nodes, target: name, until }, { timeoutMs: hangMs }).catch((error: unknown) => {
        throw new Error(`${name} did not become ${wanted}: ${command.log()}`, { cause: error });
      });
    },
    fetchedBy: (pod, address, port = 8080, path = "/") => kubectl(["exec", pod, "--", "sh", "-c", request(address, port, path)]),
    pidOf: (node, program) =>
      JSON.parse(readFileSync(join(runFolders, clusterIdOf(command.process.pid), node, `${program}.json`), "utf8")).pid,
    async killAndStart(...more) {
      await client[Symbol.asyncDispose]();
      command.process.kill("SIGKILL");
      await waitUntil("the command has ended", () => command.process.signalCode !== null);
      await command.stop();
      ({ command, client } = await start(...more));
    },
    stop,
    async startAgain(...more) {
      ({ command, client } = await start(...more));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function start(...more: readonly string[]): Promise<{ command: CommandUnderTest; client: Client }> {
    const started = await startCommand("--data-dir", join(folder, "data"), ...severalFlags(archive), ...ranges, ...more);
    return { command: started, client: await clientFromKubeconfig({ paths: [started.kubeconfig] }) };
  }

  async function stop(): Promise<void> {
    await client[Symbol.asyncDispose]();
    await command.stop();
  }

  function env(): Environment {
    return { KUBECONFIG: command.kubeconfig, HOME: folder, KUBECACHEDIR: join(folder, "cache") };
  }

  async function attempt(words: string | readonly string[], stdin?: string): Promise<Ran> {
    return await runKubectl(kubectls[0]!, typeof words === "string" ? words.split(" ") : words, env(), stdin);
  }

  async function kubectl(words: string | readonly string[], stdin?: string): Promise<string> {
    const ran = await attempt(words, stdin);
    assert.equal(ran.code, 0, `kubectl ${words}: ${ran.stdout}\n${ran.stderr}`);
    return ran.stdout;
  }
}

/** Without wget, which a busybox that is linked statically cannot resolve addresses with. */
const request = (address: string, port: number, path: string): string =>
  `printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' | nc -w 5 ${address} ${port} | tail -n 1`;

export interface MachineState {
  readonly links: readonly string[];
  readonly routes: string;
  readonly namespaces: readonly string[];
  readonly tables: string;
  readonly mounts: readonly string[];
  readonly processes: readonly string[];
  readonly runFolders: readonly string[];
  readonly cgroups: readonly string[];
}

/** By which what belongs to the nodes of a command is called. */
export function clusterIdOf(pid: number | undefined): string {
  const found = entries(runFolders).find((id) => JSON.parse(readFileSync(join(runFolders, id, "owner.json"), "utf8")).pid === pid);
  assert.ok(found !== undefined, "the cluster has noted whose its nodes are");
  return found;
}

/** Links, routes and rules are of this process' own network; of the rest what belongs to these clusters. */
export function machineState(ids: readonly string[]): MachineState {
  const marked = (texts: readonly string[]): readonly string[] => texts.filter((text) => ids.some((id) => text.includes(id))).sort();
  return {
    links: entries("/proc/sys/net/ipv4/conf"),
    routes: printed("ip", "route", "show", "table", "all"),
    namespaces: marked(entries("/run/netns")),
    tables: printed("nft", "list", "tables"),
    mounts: marked(readFileSync("/proc/self/mountinfo", "utf8").split("\n")),
    processes: marked(processes()),
    runFolders: marked(entries(runFolders)),
    cgroups: marked(entries("/sys/fs/cgroup").flatMap((one) => entries(join("/sys/fs/cgroup", one)))),
  };
}

function printed(...[name = "", ...args]: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(binary(name) ?? name, args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}

const processes = (): string[] =>
  entries("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ")];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });

export function entries(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
