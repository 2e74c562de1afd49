/** The kubelet of one node, a process in its network namespace: `coxswain kubelet` with credentials of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Clock } from "@coxswain/machinery";
import type { NodeOptions } from "../../options/node-options.ts";
import { ownCommand } from "../../process/own-command.ts";
import { identityOf } from "../../process/process-identity.ts";
import { endProcess } from "./end-process.ts";
import type { NamespacedNode } from "./network-plan.ts";
import type { NodeFiles } from "./node-files.ts";
import { notedProcess, noteProcess } from "./run-folder.ts";
import { inNamespace, systemEnvironment } from "./run-program.ts";

export interface NodeKubeletOptions {
  readonly node: NamespacedNode;
  readonly options: NodeOptions;
  /** Of the node's containerd. */
  readonly socket: string;
  readonly cgroupRoot: string;
  readonly files: NodeFiles;
  /** Where it is noted which process it is. */
  readonly runFolder: string;
  /** Volumes, logs of Pods, and its own. */
  readonly dataFolder: string;
  /** Where it asks whether NetworkPolicies count for a Pod; undefined: nobody enforces any. */
  readonly isolationSocket: string | undefined;
  readonly clock: Clock;
}

/** Nodes that share a machine have addresses of their own: all of their kubelets may have the usual port. */
const usualPort = 10_250;
/** How long it may take to end before it is killed. Milliseconds. */
const stopMs = 15_000;

/** What the command is started with. */
export function kubeletArguments(settings: Omit<NodeKubeletOptions, "clock">): string[] {
  const { node, options, socket, cgroupRoot, files, dataFolder, isolationSocket } = settings;
  const { labels, taints, maxPods, staticPods, evictionHard, clusterDns, clusterDomain, resolvConf, kubeletPort } = options;
  const words = {
    kubeconfig: files.kubeconfig,
    "client-ca-file": files.clientAuthority,
    "tls-cert-file": files.servingCertificate,
    "tls-private-key-file": files.servingKey,
    runtime: "cri",
    "container-runtime-endpoint": socket,
    "node-name": node.name,
    address: node.address,
    "node-ip": [node.address, node.address6].filter((one) => one !== undefined).join(","),
    "kubelet-port": String(kubeletPort === 0 ? usualPort : kubeletPort),
    "root-dir": join(dataFolder, "kubelet"),
    "cgroup-root": cgroupRoot,
    "max-pods": String(maxPods),
    "cluster-domain": clusterDomain,
    "resolv-conf": resolvConf,
    "node-labels": Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
    "register-with-taints": taints.map(({ key, value, effect }) => `${key}${value === undefined ? "" : `=${value}`}:${effect}`).join(","),
    "cluster-dns": clusterDns.join(","),
    ...(isolationSocket === undefined ? {} : { "network-policy-socket": isolationSocket }),
    ...(staticPods === undefined ? {} : { "pod-manifest-path": resolve(staticPods) }),
    ...(evictionHard === undefined ? {} : { "eviction-hard": evictionHard }),
  };
  return ["kubelet", "--stop-on-stdin-close", ...Object.entries(words).map(([name, value]) => `--${name}=${value}`)];
}

/** Resolves when the signal says so and it has ended; Pods go on. @throws Error when it ends by itself */
export async function runKubelet(options: NodeKubeletOptions, signal: AbortSignal): Promise<void> {
  const { node, runFolder, dataFolder, clock } = options;
  const former = notedProcess(runFolder, "kubelet");
  if (former !== undefined) await endProcess(former, { clock, graceMs: stopMs });
  const logFile = join(dataFolder, "kubelet.log");
  const log = openSync(logFile, "a", 0o600);
  const [first = "", ...rest] = [...inNamespace(node.namespace), ...ownCommand(), ...kubeletArguments(options)];
  // It ends with this process, however that ends: its standard input does. A terminal's signals are not for it.
  const child = spawn(first, rest, { stdio: ["pipe", log, log], env: systemEnvironment(), detached: true });
  closeSync(log);
  child.stdin?.on("error", () => undefined);
  const identity = identityOf(child.pid ?? 0);
  if (identity !== undefined) noteProcess(runFolder, "kubelet", identity);
  const exit = once(child, "exit");
  const stop = (): void => {
    if (identity !== undefined) void endProcess(identity, { clock, graceMs: stopMs });
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const [code, killedBy] = await exit;
  signal.removeEventListener("abort", stop);
  if (!signal.aborted) throw new Error(`the kubelet of ${node.name} ended with ${code ?? killedBy}: ${logFile} says why`);
}
