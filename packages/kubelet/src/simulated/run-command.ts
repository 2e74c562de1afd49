/** exec and attach of simulated containers. */
import { type Clock, sleep } from "@coxswain/machinery";
import type { Terminal, TerminalRequest } from "../runtime/container-streams.ts";
import type { ExecResult } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { runCommand } from "./commands.ts";
import type { Container } from "./container.ts";
import { output } from "./output.ts";
import type { PlacedContainer } from "./pods.ts";
import type { ExecAnswer, ExecCall } from "./script.ts";
import type { Streams } from "./streams.ts";
import { openTerminal } from "./terminal.ts";

/**
 * Of probes and hooks, which ask how it goes rather than for the command: what its script does not answer succeeds as long
 * as the container is well.
 */
export async function execSync({ container }: PlacedContainer, call: TimedCommand, clock: Clock, signal: AbortSignal): Promise<ExecResult> {
  const { command } = call;
  refuseEnded(container);
  const { health } = container;
  const answered = async () => await container.script.exec?.({ command, stdin: async () => new Uint8Array() });
  const found = await within(answered(), call, clock, signal);
  const plain: ExecAnswer = health === "well" ? {} : { exitCode: 1, stderr: health === "booting" ? "not ready yet\n" : "unwell\n" };
  const { exitCode = 0, stdout = "", stderr = "" } = found ?? plain;
  return { exitCode, stdout: encode(stdout), stderr: encode(stderr) };
}

export function exec(
  { container, env, hostname }: PlacedContainer,
  request: TerminalRequest & { readonly command: readonly string[] },
  clock: Clock,
  signal: AbortSignal,
): Terminal {
  refuseEnded(container);
  const { command } = request;
  return openTerminal(request, signal, async (streams, ends) => {
    const answer = await container.script.exec?.({ command, stdin: () => all(streams.stdin) });
    if (answer === undefined) return await runCommand(command, streams, { config: { env, hostname }, clock, signal: ends });
    streams.stdout(answer.stdout ?? "");
    streams.stderr(answer.stderr ?? "");
    return answer.exitCode ?? 0;
  });
}

/** What it writes from now on; where it reads, it is its command that is talked to, with which it ends. Ends with it. */
export function attach(
  { container, env, hostname, reads }: PlacedContainer,
  request: TerminalRequest,
  clock: Clock,
  signal: AbortSignal,
): Terminal {
  refuseEnded(container);
  return openTerminal(request, signal, async (streams, ends) => {
    const talk = async () => {
      if (reads === undefined || !request.stdin) return;
      container.exit(await runCommand(reads, streams, { config: { env, hostname }, clock, signal: ends }));
    };
    const written = async () => {
      const decoder = new TextDecoder();
      for await (const { content } of output(container, { follow: true, tailLines: 0 }, ends))
        streams.stdout(`${decoder.decode(content)}\n`);
    };
    await Promise.all([written(), talk()]);
    return container.status.exitCode;
  });
}

const maxInput = 16 * 1024 * 1024;

async function all(stdin: Streams["stdin"]): ReturnType<ExecCall["stdin"]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxInput) throw new RuntimeError("refused", `more than ${maxInput} bytes of input`);
  }
  return Buffer.concat(chunks);
}

interface TimedCommand {
  readonly command: readonly string[];
  /** 0: as long as it takes. */
  readonly timeoutSeconds: number;
}

async function within<T>(work: Promise<T>, { command, timeoutSeconds }: TimedCommand, clock: Clock, signal: AbortSignal): Promise<T> {
  if (timeoutSeconds === 0) return await work;
  const over = new AbortController();
  const late = sleep(clock, timeoutSeconds * 1000, AbortSignal.any([signal, over.signal])).then(() => {
    throw new RuntimeError("timeout", `command ${JSON.stringify(command.join(" "))} timed out`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

function refuseEnded(container: Container): void {
  if (container.isRunning) return;
  throw new RuntimeError("unknown", `container is in CONTAINER_${container.status.state.toUpperCase()} state`);
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
