import type { Client, Target } from "../contracts/client.ts";
import { ConnectionError } from "../transport/transport.ts";
import { type ExecOptions, podExec } from "./pod-exec.ts";

/** Which command is run in which container, and what it reads. */
export interface RunOptions extends Pick<ExecOptions, "command" | "container" | "signal"> {
  /** All of the standard input. Default: none. */
  readonly stdin?: Uint8Array;
  /** Of each output, what is kept; the rest is read away. Default: 16 MiB. */
  readonly maxOutputBytes?: number;
}

/** How a command ended, and what it printed, decoded as UTF-8. */
export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. @throws StatusError when it could not be run, ConnectionError */
export async function runInPod(client: Client, target: Target, opts: RunOptions): Promise<RunResult> {
  const { stdin, maxOutputBytes = 16 * 1024 * 1024, ...rest } = opts;
  using run = await podExec(client, target, { ...rest, stdin: stdin !== undefined });
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const kept = { stdout: 0, stderr: 0 };
  const text = { stdout: "", stderr: "" };
  let unfed: { readonly error: unknown } | undefined;
  const feed = async (): Promise<void> => {
    if (stdin === undefined) return;
    try {
      await run.write(stdin);
      await run.end();
    } catch (error) {
      // Whether it matters shows when it is known how the program ended: not every program reads all it is given.
      unfed = { error };
      run.close();
    }
  };
  const feeding = feed();
  for await (const { from, data } of run.output) {
    const part = data.subarray(0, Math.max(0, maxOutputBytes - kept[from]));
    kept[from] += part.byteLength;
    text[from] += decoders[from].decode(part, { stream: true });
  }
  const exitCode = await run.exit().catch((error: unknown) => {
    throw error instanceof ConnectionError && unfed !== undefined ? unfed.error : error;
  });
  run.close();
  await feeding;
  return { exitCode, stdout: text.stdout + decoders.stdout.decode(), stderr: text.stderr + decoders.stderr.decode() };
}
