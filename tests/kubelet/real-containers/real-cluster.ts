/** What `npm start -- --runtime=cri` brings up, with a containerd of its own, and kubectl to use it with. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { coreV1 } from "@coxswain/api";
import { type Client, events, nodes, pods, serviceAccounts } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { type CommandUnderTest, mainFile, startCommand } from "../../conformance/command-under-test.ts";
import { type Environment, findKubectls, type Kubectl, type Ran, runKubectl } from "../../conformance/kubectl/kubectl.ts";
import { cgroupRootOf } from "../containerd/cgroup-root.ts";
import { type Containerd, type ContainerdOptions, startContainerd } from "../containerd/containerd.ts";
import { isNetworkPrivate } from "../containerd/private-network.ts";
import { whyNoContainers } from "../containerd/why-no-containers.ts";

export type Pod = coreV1.Pod;

export interface RealCluster extends AsyncDisposable {
  readonly containerd: Containerd;
  readonly client: Client;
  /** For `kubectl` and other programs. */
  readonly env: Environment;
  /** What the command has logged. */
  log(): string;
  /** What it printed, when it went well. `words` are split at spaces unless they come as a list. */
  kubectl(words: string | readonly string[], stdin?: string): Promise<string>;
  attempt(words: string | readonly string[], stdin?: string): Promise<Ran>;
  /**
   * `kubectl logs …` of a container that has ended: what it said at last, containerd may write a moment after it has reported
   * the end.
   */
  endedLogs(words: string): Promise<string>;
  /** With `kubectl apply`. */
  apply(...objects: readonly object[]): Promise<void>;
  /** As it then is. */
  podOnce(name: string, holds: (pod: Pod) => boolean, timeoutMs?: number): Promise<Pod>;
  podGone(name: string, timeoutMs?: number): Promise<void>;
  /** The first event about the object that has this reason, and this in its message. */
  eventOnce(name: string, reason: string | RegExp, message?: RegExp): Promise<coreV1.Event>;
  /** `kill -9` for the process that the kubelet is in, and a new start; between them no kubelet runs. */
  killAndStart(between?: () => Promise<void>): Promise<void>;
}

export const kubectls: readonly Kubectl[] = findKubectls();

/** Undefined: it can. */
export function whyNoRealCluster(): string | undefined {
  return whyNoContainers() ?? (kubectls.length === 0 ? "there is no kubectl" : undefined);
}

export interface RealClusterOptions extends ContainerdOptions {
  /** Of the command. */
  readonly more?: readonly string[];
  /** The kubelet has a process of its own. */
  readonly isKubeletApart?: boolean;
  /** What else the tests need and do not have here. */
  readonly missing?: string | undefined;
  /** Of a kubelet that has one. */
  readonly kubeletFlags?: readonly string[];
  /** Whether the cluster is in the network of the machine: for a test that fetches packages there, and writes no rules. */
  readonly isNetworkShared?: boolean;
}

async function podsCanRun(client: Client): Promise<void> {
  await waitFor(client, { ref: nodes, target: "real", until: "condition=Ready" });
  // Before it is there, Pods are refused; on a busy machine that takes longer than a node does.
  await waitFor(client, { ref: serviceAccounts, target: "default", until: () => true });
}

export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  await using stack = new AsyncDisposableStack();
  const containerd = stack.use(await startPrivateContainerd(options));
  let { command, client, env } = await start();
  let kubelet = startKubelet();
  stack.defer(async () => {
    await client[Symbol.asyncDispose]();
    await killed(kubelet);
    await command.stop();
  });
  await podsCanRun(client).catch((error: unknown) => {
    throw new Error(`Pods cannot run: ${command.log()}`, { cause: error });
  });
  const owned = stack.move();
  return {
    containerd,
    get client() {
      return client;
    },
    get env() {
      return env;
    },
    log: () => command.log(),
    kubectl,
    attempt,
    endedLogs,
    apply: async (...objects) => void (await kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }))),
    podOnce: async (name, until, timeoutMs = hangMs) => (await waitFor(client, { ref: pods, target: name, until }, { timeoutMs }))!,
    podGone: async (name, timeoutMs = hangMs) => void (await waitFor(client, { ref: pods, target: name, until: "delete" }, { timeoutMs })),
    eventOnce: (name, reason, message) => eventOnce(client, name, reason, message),
    async killAndStart(between) {
      await killed(kubelet ?? command.process);
      await between?.();
      if (kubelet !== undefined) {
        kubelet = startKubelet();
        return;
      }
      await client[Symbol.asyncDispose]();
      await command.stop();
      ({ command, client, env } = await start());
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function start(): Promise<{ command: CommandUnderTest; client: Client; env: Environment }> {
    const { folder } = containerd;
    const own = options.isKubeletApart === true ? ["--runtime", "simulated", "--no-node"] : nodeOptions(containerd);
    const command = await startCommand("--data-dir", join(folder, "data"), "--log-level", "warn", ...own, ...(options.more ?? []));
    const client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
    return { command, client, env: { KUBECONFIG: command.kubeconfig, HOME: folder, KUBECACHEDIR: join(folder, "cache") } };
  }

  function startKubelet(): ChildProcess | undefined {
    if (options.isKubeletApart !== true) return undefined;
    const log = openSync(join(containerd.folder, "kubelet.log"), "a");
    const args = [mainFile, "kubelet", "--kubeconfig", command.kubeconfig, ...nodeOptions(containerd), ...(options.kubeletFlags ?? [])];
    const child = spawn(process.execPath, args, { stdio: ["ignore", log, log] });
    closeSync(log);
    return child;
  }

  async function attempt(words: string | readonly string[], stdin?: string): Promise<Ran> {
    return await runKubectl(kubectls[0]!, typeof words === "string" ? words.split(" ") : words, env, stdin);
  }

  async function kubectl(words: string | readonly string[], stdin?: string): Promise<string> {
    const ran = await attempt(words, stdin);
    assert.equal(ran.code, 0, `kubectl ${words}: ${ran.stdout}\n${ran.stderr}`);
    return ran.stdout;
  }

  async function endedLogs(words: string): Promise<string> {
    let [before, now] = ["", await kubectl(`logs ${words}`)];
    for (let tries = 0; tries < 600 && (now === "" || now !== before); tries++) {
      await delay(100);
      [before, now] = [now, await kubectl(`logs ${words}`)];
    }
    return now;
  }
}

/** Rules, routes and bridges of the cluster would else be the machine's own. */
async function startPrivateContainerd(options: RealClusterOptions): Promise<Containerd> {
  assert.ok(options.isNetworkShared === true || isNetworkPrivate(), "the test file calls enterPrivateNetwork first");
  return await startContainerd(options);
}

function nodeOptions(containerd: Containerd): readonly string[] {
  const { folder, socket } = containerd;
  const runtime = ["--runtime", "cri", "--container-runtime-endpoint", socket, "--cgroup-root", cgroupRootOf(containerd)];
  return [...runtime, "--root-dir", join(folder, "kubelet"), "--node-name", "real"];
}

async function eventOnce(client: Client, name: string, reason: string | RegExp, message = /(?:)/): Promise<coreV1.Event> {
  const signal = AbortSignal.timeout(hangMs);
  const seen: string[] = [];
  const isReason = (one = "") => (typeof reason === "string" ? one === reason : reason.test(one));
  const isWanted = (event: coreV1.Event) => isReason(event.reason) && message.test(event.message ?? "");
  for await (const change of client.resource(events, "default").watch({ fieldSelector: `involvedObject.name=${name}`, signal })) {
    const those = change.type === "LISTED" ? change.items : change.type === "BOOKMARK" ? [] : [change.object];
    const found = those.find(isWanted);
    if (found !== undefined) return found;
    seen.push(...those.map((event) => `${event.reason}: ${event.message}`));
  }
  throw new Error(`no event ${reason} of ${name} in time, but ${seen.join("; ")}`);
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
