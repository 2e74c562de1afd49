/** The streams of a container's own process, from now on. */
import { once } from "node:events";
import { constants } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Terminal, TerminalRequest } from "../runtime/container-streams.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { ByteQueue } from "../streams/byte-queue.ts";
import { openPipe, readNumber } from "./left-by-container.ts";
import type { ProcessContainer } from "./process-container.ts";
import { signalTo } from "./process-identity.ts";
import { files } from "./shim.ts";

/** A client that reads more slowly than the container writes loses output, for the container does not wait. */
const maxUnread = 4 * 1024 * 1024;

export async function attach(container: ProcessContainer, request: TerminalRequest, signal: AbortSignal): Promise<Terminal> {
  if (!container.isRunning) throw new RuntimeError("unknown", `container is in CONTAINER_${container.status.state.toUpperCase()} state`);
  const { tty, stdin: reads, stdinOnce } = container.record;
  const queues = { stdout: new ByteQueue(), stderr: new ByteQueue() };
  const stdin = reads && request.stdin ? await writerOf(join(container.directory, files.stdin)) : undefined;
  const control = tty ? await writerOf(join(container.directory, files.control)) : undefined;
  const gone = Promise.withResolvers<number>();
  const listening = container.output.listen((name, chunk) => {
    const queue = queues[name];
    queue.push(chunk);
    if (queue.unreadBytes > maxUnread) gone.reject(new RuntimeError("unknown", "attached too slowly to follow"));
  });
  const onAbort = () => gone.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  container.ended.then(() => gone.resolve(container.status.exitCode));
  const exited = gone.promise.finally(() => {
    listening[Symbol.dispose]();
    signal.removeEventListener("abort", onAbort);
    stdin?.destroy();
    control?.destroy();
    queues.stdout.end();
    queues.stderr.end();
  });
  exited.catch(() => undefined);
  return {
    stdout: request.stdout ? queues.stdout : undefined,
    stderr: request.stderr && !tty ? queues.stderr : undefined,
    async writeStdin(chunk) {
      if (stdin === undefined || stdin.destroyed || stdin.write(chunk)) return;
      await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(() => undefined);
    },
    endStdin: () =>
      void stdin?.end(() => {
        stdin.destroy();
        if (stdinOnce) void endInput(container);
      }),
    resize: ({ width, height }) => void control?.write(`${height} ${width}\n`),
    exited,
    [Symbol.dispose]: () => gone.reject(new Error("the terminal is closed")),
  };
}

async function writerOf(path: string): Promise<Socket> {
  const fd = await openPipe(path, constants.O_WRONLY);
  return new Socket({ fd, readable: false, writable: true }).on("error", () => undefined);
}

/** The process that keeps its input open is ended; a gentler signal could come before it has become what it is. */
async function endInput(container: ProcessContainer): Promise<void> {
  const holder = await readNumber(join(container.directory, files.holder));
  if (holder !== undefined && (await container.owns(holder.number))) signalTo(holder.number, "SIGKILL");
}
