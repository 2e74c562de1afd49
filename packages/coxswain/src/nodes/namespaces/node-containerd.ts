/** The containerd of one node, in its network namespace. Containers go on when it ends, and the next one finds them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCriRuntime, type PodRuntime } from "@coxswain/kubelet";
import { type Clock, messageOf, sleep } from "@coxswain/machinery";
import { identityOf } from "../../process/process-identity.ts";
import { containerdConfig } from "./containerd-config.ts";
import { endProcess } from "./end-process.ts";
import { notedProcess, noteProcess } from "./run-folder.ts";
import { inNamespace, programPath, runProgram, systemEnvironment } from "./run-program.ts";

export interface NodeContainerdOptions {
  readonly namespace: string;
  /** For the socket, the state and the note of the process; ends with the machine. */
  readonly runFolder: string;
  /** For images; stays. */
  readonly dataFolder: string;
  readonly cniBinDir: string;
  readonly sandboxImage: string | undefined;
  /** Archives that are imported before Pods start. */
  readonly images: readonly string[];
  readonly clock: Clock;
}

export interface NodeContainerd {
  readonly socket: string;
  readonly cniConfDir: string;
  /** A connection of its own. */
  readonly runtime: PodRuntime;
  /** Rejects when the process ends without having been asked to. */
  readonly ended: Promise<never>;
  /** Containers go on. */
  stop(): Promise<void>;
}

/** How long it may take until it answers. Milliseconds. */
const startMs = 30_000;
/** Between attempts. */
const pollMs = 20;
/** How long it may take to end before it is killed. */
export const stopMs = 10_000;

const overlayMagic = 0x794c7630;

export function containerdPaths(runFolder: string, dataFolder: string) {
  return {
    root: join(dataFolder, "containerd"),
    state: join(runFolder, "containerd"),
    socket: join(runFolder, "containerd.sock"),
    cniConfDir: join(dataFolder, "net.d"),
  };
}

/** @throws Error for one that does not answer in time, ProgramError for images that cannot be imported */
export async function startContainerd(options: NodeContainerdOptions, signal: AbortSignal): Promise<NodeContainerd> {
  const { runFolder, dataFolder, cniBinDir, sandboxImage, images, clock } = options;
  const paths = containerdPaths(runFolder, dataFolder);
  for (const folder of [runFolder, dataFolder, paths.root, paths.cniConfDir]) mkdirSync(folder, { recursive: true, mode: 0o711 });
  const former = notedProcess(runFolder, "containerd");
  if (former !== undefined) await endProcess(former, { clock, graceMs: stopMs });
  // overlayfs cannot lie on itself: inside a container the slower one that copies does.
  const snapshotter = statfsSync(paths.root).type === overlayMagic ? "native" : "overlayfs";
  const config = join(runFolder, "containerd.toml");
  writeFileSync(config, containerdConfig({ ...paths, cniBinDir }, { snapshotter, sandboxImage }), { mode: 0o600 });
  const child = launch(options, config);
  const identity = identityOf(child.pid ?? 0);
  if (identity !== undefined) noteProcess(runFolder, "containerd", identity);
  const asked = new AbortController();
  const ended = endOf(child, asked.signal);
  // Whoever waits for it later is told then.
  ended.catch(() => undefined);
  const runtime = await createCriRuntime({ socket: paths.socket, clock });
  const stop = async (): Promise<void> => {
    asked.abort();
    await runtime[Symbol.asyncDispose]();
    if (identity !== undefined) await endProcess(identity, { clock, graceMs: stopMs });
  };
  try {
    await Promise.race([answers(runtime, clock, signal), ended]);
    for (const image of images) await Promise.race([importImages(paths.socket, image), ended]);
    return { ...paths, runtime, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function launch({ namespace, dataFolder }: NodeContainerdOptions, config: string): ChildProcess {
  const log = openSync(join(dataFolder, "containerd.log"), "w", 0o600);
  const [program = "", ...args] = inNamespace(namespace);
  try {
    // A group of its own: a terminal's signals are for whoever ends it in order.
    const stdio = ["ignore", log, log] as const;
    return spawn(program, [...args, programPath("containerd") ?? "containerd", "--config", config], {
      stdio: [...stdio],
      env: systemEnvironment(),
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

async function endOf(child: ChildProcess, asked: AbortSignal): Promise<never> {
  const [code, signal] = await once(child, "exit");
  if (asked.aborted) return await new Promise<never>(() => undefined);
  throw new Error(`containerd ended with ${code ?? signal}`);
}

/** Its network may not be ready yet: the node says so. */
async function answers(runtime: PodRuntime, clock: Clock, signal: AbortSignal): Promise<void> {
  const late = new AbortController();
  using _timer = clock.schedule(startMs, () => late.abort());
  for (;;) {
    try {
      await runtime.status(signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (late.signal.aborted) throw new Error(`containerd does not answer: ${messageOf(error)}`, { cause: error });
    }
    await sleep(clock, pollMs, signal);
  }
}

const importImages = (socket: string, archive: string): Promise<string> =>
  runProgram(["ctr", "--address", socket, "--namespace", "k8s.io", "images", "import", archive]);
