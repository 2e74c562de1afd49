/** An API server with one node whose kubelet serves a Pod, all on loopback, and a kubeconfig for clients. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, Metrics, type ServerOptions, staticContent, tokenAuthenticator } from "@coxswain/apiserver";
import { type Client, createClient, fixedCredential } from "@coxswain/client";
import { http2Transport } from "@coxswain/client/node";
import { type ContainerStatus, createKubeletServer, type LocalPod, type LogEntry, type ServedNode } from "@coxswain/kubelet";
import { AsyncDisposableStack, type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import { makeAuthority } from "../../client/transport-server.ts";
import { newScript, type Script, scriptedRuntime } from "./scripted-runtime.ts";

export interface NodeUnderTest extends AsyncDisposable {
  readonly client: Client;
  readonly kubeconfig: string;
  readonly server: string;
  readonly script: Script;
  readonly token: string;
  readonly kubeletPort: number;
  /** The API server alone. */
  closeServer(): Promise<void>;
  readonly authority: ReturnType<typeof makeAuthority>;
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export const line = (seconds: number, content: string, stream: "stdout" | "stderr" = "stdout", partial = false): LogEntry => ({
  time: `2026-01-02T03:04:${String(seconds).padStart(2, "0")}.5Z`,
  stream,
  partial,
  content: Buffer.from(content),
});

const container = (name: string, id: string, attempt: number, state: ContainerStatus["state"]): ContainerStatus => ({
  id,
  sandboxId: "s1",
  pod: { uid: "", namespace: "default", name: "web" },
  name,
  attempt,
  state,
  createdAt: 1_000,
  startedAt: 2_000,
  finishedAt: 0,
  exitCode: 0,
  reason: "",
  message: "",
  image: "i",
  imageRef: "i",
  logPath: "",
  labels: {},
  annotations: {},
  mounts: [],
  resources: undefined,
});

const at = "2026-01-02T03:04:05Z";
const status = (name: string, more: object) => ({ name, image: "i", imageID: "i", ready: true, restartCount: 0, ...more });

const podStatus = (podIP: string) => ({
  phase: "Running",
  podIP,
  podIPs: [{ ip: podIP }],
  startTime: at,
  containerStatuses: [
    status("main", {
      containerID: "test://c1",
      state: { running: { startedAt: at } },
      lastState: { terminated: { exitCode: 1, containerID: "test://c0" } },
    }),
    status("side", { state: { waiting: { reason: "ContainerCreating" } } }),
  ],
});

export interface PodUnderTest {
  /** Of its container. Default: 80. */
  readonly declaredPort?: number;
  /** Of the API server. */
  readonly serving?: ServerOptions["serving"];
  /** Default: this machine's. */
  readonly podIp?: string;
  /** Of the kubelet's server. Default: the system's. */
  readonly clock?: Clock;
}

export async function startNode({
  declaredPort = 80,
  serving,
  podIp = "127.0.0.1",
  clock = systemClock,
}: PodUnderTest = {}): Promise<NodeUnderTest> {
  await using stack = new AsyncDisposableStack();
  const authority = makeAuthority("cluster");
  const script = newScript();
  script.logs.set("c1", [line(1, "one"), line(2, "two", "stderr"), line(3, "thr", "stdout", true), line(3, "ee")]);
  script.logs.set("c0", [line(0, "before")]);
  const containers = [container("main", "c1", 1, "running"), container("main", "c0", 0, "exited")];
  let pod: LocalPod["pod"] | undefined;
  const local = (): LocalPod | undefined => (pod === undefined ? undefined : localPod(pod, containers));
  const node: ServedNode = {
    name: "node-1",
    runtime: scriptedRuntime(script),
    pods: {
      list: () => [local()].filter((one) => one !== undefined),
      find: (namespace, name) => (namespace === "default" && name === "web" ? local() : undefined),
    },
  };
  const kubelet = stack.use(
    createKubeletServer({
      nodes: new Map([["node-1", node]]),
      tls: authority.serving,
      clientAuthority: authority.cert,
      clock,
      log: silent,
    }),
  );
  const { port: kubeletPort } = await kubelet.listen(0, "127.0.0.1");
  const token = "streams-test-token";
  const server = await createServer(
    serverOptions({ token, authority, serving, store: stack.use(createMemoryStore({ clock: systemClock })) }),
  );
  let closed: Promise<void> | undefined;
  const closeServer = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  stack.defer(closeServer);
  const { port } = await server.listen(0, "127.0.0.1");
  const url = `https://127.0.0.1:${port}`;
  const transport = http2Transport({
    server: url,
    clock: systemClock,
    tls: { ca: authority.cert },
    credentials: fixedCredential({ authorization: `Bearer ${token}` }),
  });
  const client = stack.use(createClient({ transport, clock: systemClock, random: systemRandom, namespace: "default" }));
  pod = await seed(client, { kubeletPort, containerPort: declaredPort, podIp });
  const directory = mkdtempSync(join(tmpdir(), "coxswain-streams-"));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const kubeconfig = join(directory, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigOf(url, authority.cert, token));
  const owned = stack.move();
  return {
    client,
    kubeconfig,
    server: url,
    script,
    token,
    kubeletPort,
    authority,
    closeServer,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const localPod = (pod: LocalPod["pod"], containers: LocalPod["containers"]): LocalPod => ({
  pod,
  containers,
  sandbox: { id: "s1", pod: containers[0]!.pod, attempt: 0, ready: true, createdAt: 0, ips: [], labels: {}, annotations: {} },
});

interface ServerParts {
  readonly token: string;
  readonly authority: NodeUnderTest["authority"];
  readonly store: ServerOptions["store"];
  readonly serving: ServerOptions["serving"];
}

const serverOptions = ({ token, authority, store, serving }: ServerParts): ServerOptions => ({
  serving,
  store,
  clock: systemClock,
  random: systemRandom,
  log: silent,
  authenticators: [tokenAuthenticator([{ token, name: "admin", uid: "", groups: ["system:masters"] }])],
  metrics: new Metrics({ startedAt: 0 }),
  tls: authority.serving,
  version: "0.0.0",
  platform: "linux/amd64",
  kubelets: {
    credentials: staticContent(() => ({
      ...authority.clientNamed("kube-apiserver-kubelet-client", ["system:masters"]),
      ca: authority.cert,
    })),
    loopback: true,
  },
});

interface Seed {
  readonly kubeletPort: number;
  readonly containerPort: number;
  readonly podIp: string;
}

async function seed(client: Client, { kubeletPort, containerPort, podIp }: Seed): Promise<LocalPod["pod"]> {
  const send = async (method: "POST" | "PUT", path: string, body: object) => {
    const answer = await client.request({
      method,
      path,
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(body)),
    });
    return JSON.parse(Buffer.from(await answer.bytes()).toString());
  };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
  const nodeStatus = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
  };
  await send("POST", "/api/v1/nodes", node);
  await send("PUT", "/api/v1/nodes/node-1/status", { ...node, status: nodeStatus });
  const pods = "/api/v1/namespaces/default/pods";
  const spec = {
    nodeName: "node-1",
    containers: [
      { name: "main", image: "i", stdin: true, ports: [{ containerPort }] },
      { name: "side", image: "i" },
    ],
  };
  const metadata = { name: "web", annotations: { "kubectl.kubernetes.io/default-container": "main" } };
  const pod = await send("POST", pods, { apiVersion: "v1", kind: "Pod", metadata, spec });
  return await send("PUT", `${pods}/web/status`, { ...pod, status: podStatus(podIp) });
}

const kubeconfigOf = (server: string, ca: string, token: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
