/** A runtime whose commands are programs of this machine, or play a part that a test needs. Whatever else it is asked fails. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { ContainerStatus, Duplexed, LogEntry, PodRuntime, Terminal, TerminalRequest } from "@coxswain/kubelet";
import { RuntimeError } from "@coxswain/kubelet";

export interface Script {
  /** Lines of each container's log, by its id. */
  readonly logs: Map<string, readonly LogEntry[]>;
  /** Commands and connections that are open. */
  readonly open: Set<object>;
  /** Bytes that `flood` has handed on so far. */
  flooded: number;
}

export const newScript = (): Script => ({ logs: new Map(), open: new Set(), flooded: 0 });

const unused = (): never => {
  throw new RuntimeError("unimplemented", "no test asks for this");
};

export function scriptedRuntime(script: Script): PodRuntime {
  const parts: Partial<PodRuntime> = {
    exec: async (_id, { command, ...request }, signal) => opened(script, await start(script, command, request, signal)),
    attach: async (_id, request, signal) => opened(script, await start(script, ["cat"], request, signal)),
    portForward: async (_id, port, signal) => opened(script, await dial(port, signal)),
    logs: (container, options, signal) => logsOf(script, container, options, signal),
    stats: async () => ({
      containers: [
        {
          id: "c1",
          at: 60_000,
          cpuNanoseconds: 30e9,
          memoryWorkingSetBytes: 5 << 20,
          memoryUsageBytes: 6 << 20,
          writableLayerBytes: 1 << 10,
        },
      ],
      sandboxes: [{ id: "s1", at: 60_000, networkReceivedBytes: 10, networkSentBytes: 20 }],
    }),
    imageFileSystem: async () => ({ usedBytes: 1 << 20, capacityBytes: 1 << 30, path: "/images" }),
  };
  return new Proxy({} as PodRuntime, { get: (_, name) => parts[name as keyof PodRuntime] ?? unused });
}

function opened<T extends Disposable>({ open }: Script, connection: T): T {
  open.add(connection);
  const dispose = connection[Symbol.dispose].bind(connection);
  return Object.assign(connection, {
    [Symbol.dispose]() {
      open.delete(connection);
      dispose();
    },
  });
}

const nothing = (async function* () {})();

async function start(script: Script, command: readonly string[], request: TerminalRequest, signal: AbortSignal): Promise<Terminal> {
  const [program = "", ...args] = command;
  if (program === "no-such-program")
    throw new RuntimeError(
      "unknown",
      'exec failed: unable to start container process: exec: "no-such-program": executable file not found in $PATH',
    );
  if (program === "sizes") return sizes(request);
  if (program === "flood") return flood(script, Number(args[0]), signal);
  if (program === "hang") return hang(signal);
  const child = spawn(program, args, { stdio: "pipe", signal });
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  if (!request.stdin) child.stdin.end();
  await once(child, "spawn");
  return {
    stdout: request.stdout ? child.stdout : undefined,
    stderr: request.stderr && !request.tty ? child.stderr : undefined,
    writeStdin: (chunk) => written(child.stdin, chunk),
    endStdin: () => void child.stdin.end(),
    resize: () => undefined,
    exited: exitOf(child),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

const written = (stdin: Writable | null, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    stdin?.write(chunk, () => resolve());
  });

async function exitOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, "exit");
  return code ?? 137;
}

/** Prints each size of the terminal, until it is wider than terminals are at first. */
function sizes({ tty }: TerminalRequest): Terminal {
  const exited = Promise.withResolvers<number>();
  const seen: string[] = [tty ? "tty\r\n" : "no tty\n"];
  let wide = false;
  let wake = Promise.withResolvers<void>();
  async function* output(): AsyncGenerator<Uint8Array> {
    for (let recorded = 0; ; ) {
      for (; recorded < seen.length; recorded++) yield Buffer.from(seen[recorded] ?? "");
      if (wide || !tty) break;
      await wake.promise;
      wake = Promise.withResolvers();
    }
    exited.resolve(0);
  }
  return {
    stdout: output(),
    stderr: undefined,
    writeStdin: async () => undefined,
    endStdin: () => undefined,
    resize: ({ width, height }) => {
      seen.push(`${width}x${height}\r\n`);
      wide ||= width > 80;
      wake.resolve();
    },
    exited: exited.promise,
    [Symbol.dispose]: () => undefined,
  };
}

function flood(script: Script, bytes: number, signal: AbortSignal): Terminal {
  const done = Promise.withResolvers<number>();
  const chunk = Buffer.alloc(64 * 1024, "coxswain");
  async function* output(): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0 && !signal.aborted; left -= chunk.length) {
      yield chunk.subarray(0, Math.min(left, chunk.length));
      script.flooded += chunk.length;
    }
    done.resolve(0);
  }
  return { ...still, stdout: output(), exited: done.promise };
}

function hang(signal: AbortSignal): Terminal {
  const ended = Promise.withResolvers<number>();
  signal.addEventListener("abort", () => ended.resolve(137), { once: true });
  return { ...still, stdout: nothing, exited: ended.promise };
}

const still = {
  stderr: undefined,
  writeStdin: async () => undefined,
  endStdin: () => undefined,
  resize: () => undefined,
  [Symbol.dispose]: () => undefined,
};

async function dial(port: number, signal: AbortSignal): Promise<Duplexed> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  signal.addEventListener("abort", () => socket.destroy(), { once: true });
  try {
    await once(socket, "connect");
  } catch (cause) {
    throw new RuntimeError("unknown", `dial tcp4 127.0.0.1:${port}: connect: connection refused`, { cause });
  }
  return {
    readable: socket as Readable,
    write: (chunk) => written(socket, chunk),
    end: () => void socket.end(),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

async function* logsOf(
  { logs }: Script,
  { id }: ContainerStatus,
  { follow, tailLines }: { readonly follow: boolean; readonly tailLines: number | undefined },
  signal: AbortSignal,
): AsyncGenerator<LogEntry> {
  const lines = logs.get(id);
  if (lines === undefined) throw new RuntimeError("notFound", `failed to open log file "/var/log/${id}": no such file or directory`);
  const start = tailLines === undefined ? 0 : Math.max(0, lines.length - tailLines);
  for (let at = start; at < lines.length || follow; at++) {
    while (at >= (logs.get(id)?.length ?? 0) && !signal.aborted) await new Promise(setImmediate);
    const entry = logs.get(id)?.[at];
    if (signal.aborted || entry === undefined) return;
    yield entry;
  }
}
