/** The few commands that every simulated container knows, for those who look into one. */
import { type Clock, sleep } from "@coxswain/machinery";

import type { SimulatedContainer } from "./script.ts";

export interface Streams {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface Surroundings {
  readonly config: { readonly env: SimulatedContainer["env"]; readonly hostname: string };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type Program = (args: readonly string[], streams: Streams, around: Surroundings) => number | Promise<number>;

/** @returns the exit code */
export async function runCommand(command: readonly string[], streams: Streams, around: Surroundings): Promise<number> {
  const [path = "", ...args] = command;
  const program = programs[path.slice(path.lastIndexOf("/") + 1)];
  if (program !== undefined) return await program(args, streams, around);
  streams.stderr(`${path}: not found in a simulated container\n`);
  return 127;
}

const programs: Readonly<Record<string, Program>> = {
  __proto__: null as never,
  true: () => 0,
  false: () => 1,
  echo: (args, { stdout }) => print(stdout, `${args.join(" ")}\n`),
  hostname: (_args, { stdout }, { config }) => print(stdout, `${config.hostname}\n`),
  date: (_args, { stdout }, { clock }) => print(stdout, `${new Date(clock.now()).toUTCString()}\n`),
  env: (_args, { stdout }, { config }) => print(stdout, config.env.map(({ name, value }) => `${name}=${value}\n`).join("")),
  sleep: async ([seconds = "0"], _streams, { clock, signal }) => {
    await sleep(clock, Number.parseFloat(seconds) * 1000, signal);
    return 0;
  },
  cat: async (_args, { stdin, stdout }) => {
    const decoder = new TextDecoder();
    for await (const chunk of stdin) stdout(decoder.decode(chunk, { stream: true }));
    return 0;
  },
  sh: shell,
  ash: shell,
  bash: shell,
};

function print(stdout: (text: string) => void, text: string): number {
  stdout(text);
  return 0;
}

/** One command to a line, without any of a shell's own language but quotes, `;` and `exit`. */
async function shell(args: readonly string[], streams: Streams, around: Surroundings): Promise<number> {
  if (args[0] === "-c") return (await runLine(args[1] ?? "", streams, around)).code;
  let code = 0;
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of streams.stdin) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const done = await runLine(line, { ...streams, stdin: nothing }, around);
      code = done.code;
      if (done.exits) return code;
    }
  }
  return code;
}

async function runLine(line: string, streams: Streams, around: Surroundings): Promise<{ readonly code: number; readonly exits: boolean }> {
  let code = 0;
  for (const part of line.split(/;|&&/)) {
    const words = [...part.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) => single ?? double ?? plain ?? "");
    if (words.length === 0) continue;
    if (words[0] === "exit") return { code: Number(words[1] ?? code) & 255, exits: true };
    code = await runCommand(words, streams, around);
  }
  return { code, exits: false };
}

const nothing: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
};
