/** Joins a client with a command in a container, until the command has ended or the client is gone. */
import { messageOf } from "@coxswain/machinery";
import type { Terminal } from "../runtime/container-streams.ts";
import { exitStatus, failureStatus } from "./command-status.ts";
import type { CommandStatus, CommandStreams } from "./command-streams.ts";

export interface CommandRun {
  readonly kind: "exec" | "attach";
  /** Empty for what runs already. */
  readonly command: readonly string[];
  start(signal: AbortSignal): Promise<Terminal>;
}

/** Never rejects: failures are reported to the client. */
export async function runCommand(client: CommandStreams, run: CommandRun): Promise<void> {
  const gone = new AbortController();
  void client.closed.then(() => gone.abort(new Error("the client is gone")));
  await client.finish(await outcome(client, run, gone.signal)).catch(() => undefined);
}

async function outcome(client: CommandStreams, { kind, command, start }: CommandRun, signal: AbortSignal): Promise<CommandStatus> {
  try {
    using terminal = await start(signal);
    const onGone = (): void => terminal[Symbol.dispose]();
    signal.addEventListener("abort", onGone, { once: true });
    if (signal.aborted) onGone();
    // Both go on for as long as the client likes; what remains of them ends with the connection.
    if (client.stdin !== undefined) void feed(client.stdin, terminal).catch(() => undefined);
    if (client.sizes !== undefined) void follow(client.sizes, terminal).catch(() => undefined);
    const outputs = [
      copy(terminal.stdout, (chunk) => client.writeStdout(chunk)),
      copy(terminal.stderr, (chunk) => client.writeStderr(chunk)),
    ];
    const [code] = await Promise.all([terminal.exited, ...outputs]);
    // The outcome of an attached container is in the Pod's status.
    return exitStatus(kind === "exec" ? code : 0, command);
  } catch (error) {
    const what = kind === "exec" ? "error executing command in container" : "error attaching to container";
    return failureStatus(`${what}: ${messageOf(error)}`);
  }
}

async function feed(stdin: AsyncIterable<Uint8Array>, terminal: Terminal): Promise<void> {
  for await (const chunk of stdin) await terminal.writeStdin(chunk);
  terminal.endStdin();
}

async function follow(sizes: NonNullable<CommandStreams["sizes"]>, terminal: Terminal): Promise<void> {
  for await (const size of sizes) terminal.resize(size);
}

async function copy(output: AsyncIterable<Uint8Array> | undefined, write: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  if (output === undefined) return;
  for await (const chunk of output) await write(chunk);
}
