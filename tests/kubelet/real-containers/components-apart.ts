/** A cluster of which each component has a process of its own: killed and started again, each alone. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { mainFile } from "../../conformance/command-under-test.ts";
import { type Environment, type Ran, runKubectl } from "../../conformance/kubectl/kubectl.ts";
import { cgroupRootOf } from "../containerd/cgroup-root.ts";
import { type Containerd, startContainerd } from "../containerd/containerd.ts";
import { kubectls } from "./real-cluster.ts";
import { machineAddress } from "./service-network.ts";

export const components = ["apiserver", "controllers", "scheduler", "kubelet", "proxy", "dns"] as const;
export type ComponentName = (typeof components)[number];

export interface ComponentsApart extends AsyncDisposable {
  readonly containerd: Containerd;
  readonly env: Environment;
  kubectl(words: string | readonly string[], stdin?: string): Promise<string>;
  attempt(words: string | readonly string[], stdin?: string): Promise<Ran>;
  apply(...objects: readonly object[]): Promise<void>;
  /** `kill -9`, and nobody starts it again. */
  kill(name: ComponentName): Promise<void>;
  start(name: ComponentName): Promise<void>;
  /** What each that should run is: undefined for one that has ended. */
  processes(): Readonly<Partial<Record<ComponentName, number>>>;
  log(name: ComponentName): string;
}

const port = "16443";

/** In the network of this process, in which the machine has an address. */
export async function startComponentsApart(): Promise<ComponentsApart> {
  await using stack = new AsyncDisposableStack();
  const containerd = stack.use(await startContainerd());
  const { folder } = containerd;
  const data = join(folder, "data");
  const admin = join(data, "kubeconfig");
  const env = { KUBECONFIG: admin, HOME: folder, KUBECACHEDIR: join(folder, "cache") };
  const running = new Map<ComponentName, ChildProcess>();
  const logFile = (name: ComponentName): string => join(folder, `${name}.log`);
  stack.defer(async () => {
    for (const name of components.toReversed()) await ended(running.get(name), "SIGTERM");
  });
  const server = ["--apiserver-only", "--enable-admission-plugins=ServiceAccount", "--data-dir", data];
  const commands: Record<ComponentName, readonly string[]> = {
    apiserver: [...server, "--port", port, "--address=0.0.0.0", `--advertise-address=${machineAddress}`],
    ...{ controllers: [], scheduler: [], kubelet: [], proxy: [], dns: [] },
  };
  const launch = (name: ComponentName): void => {
    const log = openSync(logFile(name), "a");
    running.set(name, spawn(process.execPath, [mainFile, ...commands[name], "--log-level=info"], { stdio: ["ignore", log, log] }));
    closeSync(log);
  };
  const kubeconfigOf = (user: string, ...more: readonly string[]): string => {
    const path = join(folder, `${user.replaceAll(":", "-")}.conf`);
    const from = ["--kubeconfig", admin, "--cert-dir", join(data, "pki"), "--client-name", user, ...more];
    writeFileSync(path, execFileSync(process.execPath, [mainFile, "kubeconfig", ...from]), { mode: 0o600 });
    return path;
  };
  const attempt = (words: string | readonly string[], stdin?: string): Promise<Ran> =>
    runKubectl(kubectls[0]!, typeof words === "string" ? words.split(" ") : words, env, stdin);
  const isServing = async (): Promise<boolean> => (await attempt("get --raw /readyz")).code === 0;
  launch("apiserver");
  await waitUntil("the API server serves", isServing);
  const as = (command: string, kubeconfig: string): readonly string[] => [command, "--kubeconfig", kubeconfig];
  const runtime = ["--runtime=cri", "--container-runtime-endpoint", containerd.socket, "--cgroup-root", cgroupRootOf(containerd)];
  const controllers = ["--use-service-account-credentials", "--root-ca-file", join(data, "pki", "ca.crt")];
  const node = ["--node-name=real", "--root-dir", join(folder, "kubelet"), `--address=${machineAddress}`, "--cluster-dns=10.96.0.10"];
  Object.assign(commands, {
    controllers: [...as("controllers", kubeconfigOf("system:kube-controller-manager")), ...controllers],
    scheduler: as("scheduler", kubeconfigOf("system:kube-scheduler")),
    kubelet: [...as("kubelet", kubeconfigOf("system:node:real", "--org", "system:nodes")), ...runtime, ...node],
    proxy: [...as("proxy", kubeconfigOf("system:kube-proxy")), "--hostname-override=real", "--masquerade-all"],
    dns: [...as("dns", admin), `--listen-address=${machineAddress}`, `--advertise-address=${machineAddress}`, "--forward=192.0.2.1"],
  });
  for (const name of components.slice(1)) launch(name);
  const owned = stack.move();
  return {
    ...{ containerd, env, attempt, kubectl, log: (name) => readFileSync(logFile(name), "utf8") },
    apply: async (...objects) => void (await kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }))),
    kill: (name) => ended(running.get(name), "SIGKILL"),
    async start(name) {
      launch(name);
      if (name === "apiserver") await waitUntil("the API server serves again", isServing);
    },
    processes: () => Object.fromEntries([...running].flatMap(([name, child]) => (hasEnded(child) ? [] : [[name, child.pid]]))),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function kubectl(words: string | readonly string[], stdin?: string): Promise<string> {
    const ran = await attempt(words, stdin);
    assert.equal(ran.code, 0, `kubectl ${words}: ${ran.stdout}\n${ran.stderr}`);
    return ran.stdout;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || hasEnded(child)) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
