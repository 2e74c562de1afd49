/** The few commands that every simulated container knows, for those who look into one. */

import { sleep } from "@coxswain/machinery";
import { runShell } from "./shell/shell.ts";
import { evaluateTest } from "./shell/test-expression.ts";
import { Variables } from "./shell/variables.ts";
import type { Program, ProgramEnvironment, Streams } from "./streams.ts";

/** @returns the exit code */
export async function runCommand(command: readonly string[], streams: Streams, around: ProgramEnvironment): Promise<number> {
  const [path = "", ...args] = command;
  const program = programOf(path);
  if (program !== undefined) return await program(args, streams, around);
  streams.stderr(`${path}: not found in a simulated container\n`);
  return 127;
}

const places = new Set(["", "/bin/", "/usr/bin/", "/usr/local/bin/"]);

/** By its name, or by a path at which programs are. */
function programOf(path: string): Program | undefined {
  const at = path.lastIndexOf("/") + 1;
  return places.has(path.slice(0, at)) ? programs[path.slice(at)] : undefined;
}

const programs: Readonly<Record<string, Program>> = {
  __proto__: null as never,
  true: () => 0,
  false: () => 1,
  echo: (args, { stdout }) => (args[0] === "-n" ? print(stdout, args.slice(1).join(" ")) : print(stdout, `${args.join(" ")}\n`)),
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
  printf: ([format = "", ...args], { stdout }) => print(stdout, formatted(format, args)),
  clear: (_args, { stdout }) => print(stdout, "\u001b[H\u001b[2J"),
  test: (args) => evaluateTest(args, isProgram),
  "[": (args) => evaluateTest(args.slice(0, -1), isProgram),
  sh: (...all) => shell(...all),
  ash: (...all) => shell(...all),
  bash: (...all) => shell(...all),
};

function print(stdout: (text: string) => void, text: string): number {
  stdout(text);
  return 0;
}

const shell: Program = (args, streams, around) =>
  runShell(args, streams, { variables: new Variables(around.config.env), around, program: programOf });

const isProgram = (path: string): boolean => path.startsWith("/") && programOf(path) !== undefined;

/** `%s`, `%d` and `%%`, as often as there are arguments. */
function formatted(format: string, args: readonly string[]): string {
  const left = [...args];
  let out = "";
  let before: number;
  do {
    before = left.length;
    out += format
      .replace(/\\n/g, "\n")
      .replace(/\\t/g, "\t")
      .replace(/%([sd%])/g, (_, kind: string) => (kind === "%" ? "%" : (left.shift() ?? (kind === "d" ? "0" : ""))));
  } while (left.length > 0 && left.length < before);
  return out;
}
