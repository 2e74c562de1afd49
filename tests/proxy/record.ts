/**
 * Records what connections come to with kube-proxy, for `recorded.json`:
 *
 *     node scripts/run.mjs tests/proxy/record.ts KUBE_PROXY API_SERVER
 *
 * KUBE_PROXY is the program, in the version that is to be compared. API_SERVER is a program that starts a kube-apiserver when it is given
 * a port and flags, ends when that is ready, and accepts the token `secret`. Both run in a namespace and end with it.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { clusterCidrs, type Network, nodeAddress, serviceCidrs, startNetwork } from "./network.ts";
import { outcomesOf } from "./outcomes.ts";
import { namespace, nodeName, type Shape, shapes, zone } from "./shapes.ts";

const execute = promisify(execFile);
const port = 28_791;

const [kubeProxy, apiServer] = process.argv.slice(2);
if (kubeProxy === undefined || apiServer === undefined) throw new Error("it needs the programs kube-proxy and kube-apiserver");

await using network = await startNetwork("record");
const directory = mkdtempSync(join(tmpdir(), "coxswain-record-"));
try {
  await inNode(network, [apiServer, String(port), `--service-cluster-ip-range=${serviceCidrs.join(",")}`]);
  await feed(network, objects(shapes));
  const kubeconfig = join(directory, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText());
  const proxy = startKubeProxy(network, kubeProxy, kubeconfig);
  await untilSynced(network);
  const outcomes = await outcomesOf(network, shapes);
  writeFileSync(join(import.meta.dirname, "recorded.json"), `${JSON.stringify(outcomes, null, 1)}\n`);
  proxy.kill("SIGKILL");
} finally {
  const { stdout } = await execute("ip", ["netns", "pids", network.inside("node")[3] ?? ""]);
  for (const pid of stdout.split("\n").filter((line) => line !== "")) process.kill(Number(pid), "SIGKILL");
  rmSync(directory, { recursive: true });
}

async function inNode({ inside }: Network, words: readonly string[]): Promise<string> {
  const [program = "", ...args] = [...inside("node"), ...words];
  return (await execute(program, args)).stdout;
}

interface Request {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: object;
}

function objects(all: readonly Shape[]): readonly Request[] {
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: nodeName, labels: { "topology.kubernetes.io/zone": zone } },
    status: { addresses: Object.values(nodeAddress).map((address) => ({ type: "InternalIP", address })) },
  };
  const post = (path: string, body: object): Request => ({ method: "POST", path, body });
  return [
    post("/api/v1/nodes", node),
    post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }),
    ...all.flatMap(({ name, service, slices }) => [
      post(`/api/v1/namespaces/${namespace}/services`, { apiVersion: "v1", kind: "Service", ...service }),
      { method: "PUT" as const, path: `/api/v1/namespaces/${namespace}/services/${name}/status`, body: { status: service.status } },
      ...slices.map((slice) => post(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, slice)),
    ]),
  ];
}

async function feed({ inside }: Network, requests: readonly Request[]): Promise<void> {
  const child = spawn(
    "ip",
    [...inside("node").slice(1), process.execPath, join(import.meta.dirname, "feed.mjs"), `https://127.0.0.1:${port}`],
    {
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    },
  );
  child.stdin.end(JSON.stringify(requests));
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error("the objects could not be created");
}

function startKubeProxy({ inside }: Network, program: string, kubeconfig: string) {
  const flags = [
    "--proxy-mode=nftables",
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${nodeName}`,
    `--cluster-cidr=${clusterCidrs.join(",")}`,
  ];
  const own = ["--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0"];
  return spawn("ip", [...inside("node").slice(1), program, ...flags, ...own], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Both tables have the Services of the last shape that has rules, which is written with all others. */
async function untilSynced(network: Network): Promise<void> {
  const marks = ["cluster-ip/tcp/tcp"];
  for (;;) {
    const rules = await inNode(network, ["nft", "list", "chains"]);
    const tables = rules.split("table ip6 ");
    if (tables.length > 1 && tables.every((table) => marks.every((mark) => table.includes(mark)))) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function kubeconfigText(): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "secret" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
