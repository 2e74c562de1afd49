/** Programs that go on while a test does other things. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { hangMs } from "@coxswain/machinery/testing";
import { kubectls, type RealCluster } from "./real-cluster.ts";

export interface Program extends AsyncDisposable {
  readonly process: ChildProcess;
  /** What it has printed so far, to both outputs. */
  printed(): string;
  /** Once what it printed matches. Rejects when it ends before. */
  prints(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  write(text: string): void;
  /** Exit code. */
  readonly ended: Promise<number | null>;
}

/** `words` are split at spaces unless they come as a list. */
export function startKubectl({ env }: Pick<RealCluster, "env">, words: string | readonly string[], kubectl = kubectls[0]!): Program {
  return startProgram(kubectl.path, typeof words === "string" ? words.split(" ") : words, env);
}

/** At a terminal, as a person has one. */
export function atTerminal({ env }: RealCluster, words: readonly string[], kubectl = kubectls[0]!): Program {
  const quoted = [kubectl.path, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return startProgram("script", ["--quiet", "--return", "--command", `stty rows 33 cols 111; ${quoted}`, "/dev/null"], env);
}

function startProgram(path: string, args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const child = spawn(path, args, { env: { ...process.env, ...env }, stdio: "pipe", detached: true });
  const ended = once(child, "close").then(() => child.exitCode);
  let text = "";
  const changed = new Set<() => void>();
  const notify = () => {
    for (const one of changed) one();
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      notify();
    });
  child.stdin.on("error", () => undefined);
  void ended.then(notify);
  return { process: child, printed: () => text, prints, write: (line) => void child.stdin.write(line), ended, [Symbol.asyncDispose]: end };

  function prints(pattern: RegExp, timeoutMs = hangMs): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Error(`no ${pattern} within ${timeoutMs} ms in ${text}`))), timeoutMs);
      const check = () => {
        const found = pattern.exec(text);
        if (found !== null) settle(() => resolve(found));
        else if (child.exitCode !== null) settle(() => reject(new Error(`it ended with ${child.exitCode}, having printed ${text}`)));
      };
      const settle = (how: () => void) => {
        clearTimeout(timer);
        changed.delete(check);
        how();
      };
      changed.add(check);
      check();
    });
  }

  /** With all that it has started. */
  async function end(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  }
}
