/** The streams of a command in a simulated container, or of its first process. */
import type { Terminal, TerminalRequest } from "../runtime/container-streams.ts";
import { Pipe } from "./pipe.ts";
import type { Streams } from "./streams.ts";

/** Runs until the program ends, or whoever has the terminal lets go of it, or the signal says so. */
export function openTerminal(
  request: TerminalRequest,
  signal: AbortSignal,
  program: (streams: Streams, signal: AbortSignal) => Promise<number>,
): Terminal {
  const stdin = new Pipe();
  const stdout = new Pipe();
  const stderr = new Pipe();
  const letGo = new AbortController();
  const ends = AbortSignal.any([signal, letGo.signal]);
  const write = (queue: Pipe) => (text: string) => void queue.write(encode(request.tty ? text.replaceAll("\n", "\r\n") : text));
  const close = () => {
    stdin.end();
    stdout.end();
    stderr.end();
  };
  if (!request.stdin) stdin.end();
  const running = program({ stdin, stdout: write(stdout), stderr: write(request.tty ? stdout : stderr) }, ends);
  const exited = untilAborted(running, ends).finally(close);
  exited.catch(() => undefined);
  const keyboard = request.tty ? cooked(stdin, stdout) : stdin;
  return {
    stdout: request.stdout ? stdout : undefined,
    stderr: request.stderr && !request.tty ? stderr : undefined,
    writeStdin: (chunk) => keyboard.write(chunk),
    endStdin: () => stdin.end(),
    resize: () => undefined,
    exited,
    [Symbol.dispose]: () => letGo.abort(new Error("the terminal is closed")),
  };
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: first, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  promise.then(resolve, reject);
  return first.finally(() => signal.removeEventListener("abort", onAbort));
}

const endOfTransmission = 0x04;

/** As a terminal line does it: what is typed is shown, return is the end of a line, and Control-D that of the input. */
function cooked(stdin: Pipe, screen: Pipe): Pick<Pipe, "write"> {
  return {
    async write(chunk) {
      const end = chunk.indexOf(endOfTransmission);
      const typed = (end < 0 ? chunk : chunk.subarray(0, end)).map((byte) => (byte === 13 ? 10 : byte));
      void screen.write(encode(new TextDecoder().decode(typed).replaceAll("\n", "\r\n")));
      await stdin.write(typed);
      if (end >= 0) stdin.end();
    },
  };
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
