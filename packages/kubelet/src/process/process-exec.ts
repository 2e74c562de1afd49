/** Commands beside a container's process: with its environment, where it is. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants as osConstants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { type Clock, sleep } from "@coxswain/machinery";
import type { Terminal, TerminalRequest } from "../runtime/container-streams.ts";
import type { ExecResult } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ProcessContainer } from "./process-container.ts";
import { signalTo } from "./process-identity.ts";
import { ptyCommand } from "./pty.ts";

const maxOutput = 16 * 1024 * 1024;

export async function execSync(
  container: ProcessContainer,
  { command, timeoutSeconds }: { readonly command: readonly string[]; readonly timeoutSeconds: number },
  clock: Clock,
  signal: AbortSignal,
): Promise<ExecResult> {
  const child = start(container, command, ["ignore", "pipe", "pipe"]);
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal]);
  const late =
    timeoutSeconds === 0
      ? new Promise<never>(() => undefined)
      : sleep(clock, timeoutSeconds * 1000, limit).then(() => {
          throw new RuntimeError("timeout", `command ${JSON.stringify(command.join(" "))} timed out`);
        });
  late.catch(() => undefined);
  const onAbort = () => endRunning(child);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const done = Promise.all([exitOf(child, command), readAll(child.stdout), readAll(child.stderr)]);
    const [exitCode, stdout, stderr] = await Promise.race([done, late]);
    signal.throwIfAborted();
    return { exitCode, stdout, stderr };
  } finally {
    over.abort();
    signal.removeEventListener("abort", onAbort);
    endRunning(child);
  }
}

export async function exec(
  container: ProcessContainer,
  { command, stdin, stdout, stderr, tty }: TerminalRequest & { readonly command: readonly string[] },
  signal: AbortSignal,
): Promise<Terminal> {
  const words = tty ? await ptyCommand(command, "3") : command;
  const child = start(container, words, [stdin ? "pipe" : "ignore", "pipe", "pipe", ...(tty ? (["pipe"] as const) : [])], tty);
  const control = child.stdio[3];
  const onAbort = () => endRunning(child);
  signal.addEventListener("abort", onAbort, { once: true });
  const exited = exitOf(child, command).finally(() => signal.removeEventListener("abort", onAbort));
  exited.catch(() => undefined);
  child.stdin?.on("error", () => undefined);
  if (!stdout) child.stdout?.resume();
  if (!stderr || tty) child.stderr?.resume();
  return {
    stdout: stdout ? (child.stdout ?? undefined) : undefined,
    stderr: stderr && !tty ? (child.stderr ?? undefined) : undefined,
    writeStdin: (chunk) => write(child.stdin, chunk),
    endStdin: () => void child.stdin?.end(),
    resize({ width, height }) {
      if (control !== null && control !== undefined && "write" in control) control.write(`${height} ${width}\n`);
    },
    exited,
    [Symbol.dispose]: () => endRunning(child),
  };
}

function start(
  container: ProcessContainer,
  [program = "", ...args]: readonly string[],
  stdio: ("ignore" | "pipe")[],
  tty = false,
): ChildProcess {
  if (!container.isRunning) throw new RuntimeError("unknown", `container is in CONTAINER_${container.status.state.toUpperCase()} state`);
  const { env, user } = container.record;
  const terminal = tty && env.TERM === undefined ? { TERM: "xterm" } : {};
  const child = spawn(program, args, { cwd: container.cwd, env: { ...env, ...terminal }, detached: true, stdio, ...user });
  container.beside(child);
  return child;
}

/** As a shell counts it: what was ended by a signal has 128 and its number. */
async function exitOf(child: ChildProcess, command: readonly string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("error", (error) => {
    const why = "code" in error && error.code === "ENOENT" ? "executable file not found in $PATH" : error.message;
    reject(new RuntimeError("unknown", `unable to start container process: exec: ${JSON.stringify(command[0] ?? "")}: ${why}`));
  });
  child.once("close", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : numberOf(signal))));
  return await promise;
}

const numberOf = (signal: NodeJS.Signals): number => osConstants.signals[signal];

/** With what it has started. What it leaves behind when it ends by itself goes on, as in a container, and ends with that. */
function endRunning({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) signalTo(-pid, "SIGKILL");
}

async function readAll(stream: Readable | null): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    size += chunk.length;
    if (size <= maxOutput) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function write(stream: Writable | null, chunk: Uint8Array): Promise<void> {
  if (stream === null || stream.destroyed || stream.writableEnded || stream.write(chunk)) return;
  await Promise.race([once(stream, "drain"), once(stream, "close")]).catch(() => undefined);
}
