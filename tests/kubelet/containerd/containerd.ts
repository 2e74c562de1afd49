/** A containerd of the test's own, with everything it writes in one folder; it ends with all that it started. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createCriRuntime, type PodRuntime } from "@coxswain/kubelet";
import { AsyncDisposableStack, systemClock } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { buildImages, images } from "./images.ts";
import { processesOf, unmountBelow } from "./leftovers.ts";
import { type Image, writeLayout } from "./oci-layout.ts";
import { binary, cniFolder } from "./why-no-containers.ts";

export interface Containerd extends AsyncDisposable {
  readonly socket: string;
  /** Of everything: logs and volumes of the test may go there too. */
  readonly folder: string;
  /** What was imported. */
  readonly images: readonly Image[];
  /** Speaks to it over a connection of its own. */
  readonly runtime: PodRuntime;
  readonly pid: number;
  /** As a service manager would after `kill -9`: what runs goes on running. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** From when this resolves it neither answers nor refuses. */
  freeze(): Promise<void>;
  thaw(): void;
  ctr(...args: readonly string[]): string;
}

export interface ContainerdOptions {
  /** A prepared folder, as of a small file system, which whoever made it removes. */
  readonly folder?: string;
  /** Whether there is no configuration of CNI: the node stays not ready until somebody writes one. */
  readonly hasNoNetwork?: boolean;
}

export async function startContainerd(options: ContainerdOptions = {}): Promise<Containerd> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "coxswain-cri-"));
  const socket = join(folder, "containerd.sock");
  writeFileSync(join(folder, "config.toml"), configuration(folder, socket));
  mkdirSync(join(folder, "net.d"));
  const { hasNoNetwork = false } = options;
  if (!hasNoNetwork) writeFileSync(join(folder, "net.d", "10-pods.conflist"), JSON.stringify(network(folder)));
  const runtime = await createCriRuntime({ socket, clock: systemClock, timeoutMs: 30_000 });
  let child = await launch();
  await using stack = new AsyncDisposableStack();
  stack.defer(endAll);
  await answers(runtime, hasNoNetwork);
  const built = buildImages(join(folder, "layers"));
  ctr("images", "import", writeLayout(built, join(folder, "layout")));
  const owned = stack.move();

  return {
    socket,
    folder,
    images: built,
    runtime,
    get pid() {
      return child.pid ?? 0;
    },
    async kill() {
      await end(child, "SIGKILL");
    },
    async start() {
      child = await launch();
      await answers(runtime, hasNoNetwork);
    },
    async freeze() {
      child.kill("SIGSTOP");
      await waitUntil("containerd stops", () => isStopped(child.pid ?? 0));
    },
    thaw: () => void child.kill("SIGCONT"),
    ctr,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function endAll(): Promise<void> {
    child.kill("SIGCONT");
    await endSandboxes(runtime).catch(() => undefined);
    await runtime[Symbol.asyncDispose]();
    await end(child, "SIGTERM");
    for (const { pid } of processesOf(socket)) process.kill(pid, "SIGKILL");
    unmountBelow(folder);
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }

  async function launch(): Promise<ChildProcess> {
    const log = await open(join(folder, "containerd.log"), "a");
    const started = spawn(binary("containerd") ?? "containerd", ["--config", join(folder, "config.toml")], {
      stdio: ["ignore", log.fd, log.fd],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/local/sbin:/usr/sbin:/sbin` },
    });
    await log.close();
    return started;
  }

  function ctr(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync("ctr", ["--address", socket, "--namespace", "k8s.io", ...args], { encoding: "utf8" });
    if (status !== 0) throw new Error(`ctr ${args.join(" ")}: ${stderr}`);
    return stdout;
  }
}

/** A signal reaches the threads of a process one by one: until the last has stopped there may be an answer. */
const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) => / T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8")));

async function answers(runtime: PodRuntime, hasNoNetwork: boolean): Promise<void> {
  const signal = AbortSignal.timeout(hangMs);
  for (;;) {
    try {
      const { ready, networkReady } = await runtime.status(signal);
      if (ready && (networkReady || hasNoNetwork)) return;
    } catch (error) {
      if (signal.aborted) throw error;
    }
    await delay(20);
  }
}

async function endSandboxes(runtime: PodRuntime): Promise<void> {
  const signal = AbortSignal.timeout(hangMs);
  const sandboxes = await runtime.listPodSandboxes(signal);
  await Promise.all(
    sandboxes.map(async ({ id }) => {
      await runtime.stopPodSandbox(id, signal);
      await runtime.removePodSandbox(id, signal);
    }),
  );
}

async function end(child: ChildProcess, how: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(how);
  const forced = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(forced);
}

/** overlayfs cannot lie on itself: inside a container the slower one that copies does. */
const overlayMagic = 0x794c7630;

function configuration(folder: string, socket: string): string {
  const snapshotter = statfsSync(folder).type === overlayMagic ? "native" : "overlayfs";
  return `version = 2
root = "${folder}/root"
state = "${folder}/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${images.pause}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  stats_collect_period = 1
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniFolder}"
    conf_dir = "${folder}/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "${snapshotter}"
`;
}

function network(folder: string): object {
  return {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: "cni0",
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: "host-local",
          dataDir: `${folder}/addresses`,
          ranges: [[{ subnet: "10.88.0.0/16" }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}
