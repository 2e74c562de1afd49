/** A shell in which the commands of a page run one after the other, in a folder of somebody who follows the page. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { type EmptyFolder, strangersEnvironment } from "../packages/empty-folder.ts";
import { thisNode } from "../packages/installed-node.ts";
import type { ShownCommand } from "./console-blocks.ts";
import { outputMatches } from "./shown-output.ts";

export interface PageShell {
  /** @throws Error when it fails, or prints something else than the page shows */
  run(command: ShownCommand): Promise<void>;
  /** Until another of this name is served, or the test ends. @throws Error when it does not print what the page shows */
  serve(name: string, command: ShownCommand): Promise<void>;
  /** Resolves once it and all that it has started are gone. */
  stop(name: string): Promise<void>;
}

/** Ports are given by `port`: pages are followed side by side, and somebody may have a server at the usual one. */
export function pageShell(t: Pick<TestContext, "after">, folder: EmptyFolder, port: number): PageShell {
  // Not in the folder, which the page may list.
  const own = mkdtempSync(join(tmpdir(), "coxswain-page-"));
  const home = join(own, "home");
  mkdirSync(home);
  const state = join(own, "state");
  const env = environment(home);
  const servers = new Map<string, Served>();
  t.after(async () => {
    for (const server of [...servers.values()].reverse()) await server.stop();
    rmSync(own, { recursive: true, force: true });
  });
  const start = (command: string, after = ""): ChildProcess => {
    const script = `[ ! -f '${state}' ] || . '${state}'\n${withPort(command, port)}\n${after}`;
    // A group of its own, so that a Ctrl-C reaches all that it has started.
    return spawn("bash", ["-c", script], { cwd: folder.path, env, stdio: "pipe", detached: true });
  };
  return {
    async run({ line, command, output }) {
      const save = `code=$?; { export -p; printf 'cd %q\\n' "$PWD"; } > '${state}'; exit $code`;
      let ran = await ended(start(command, save));
      const isRight = (): boolean => (output === "" ? ran.code === 0 : outputMatches(output, ran.printed));
      const readAgain = async (): Promise<boolean> => {
        if (!isRight()) ran = await ended(start(command, save));
        return isRight();
      };
      // What is read may not be there yet: somebody would read it again. What was printed last is in the error.
      if (reads.test(command)) await waitUntil("the output of the page", readAgain, { limitMs: maxReadMs }).catch(() => undefined);
      if (!isRight()) throw new Error(`line ${line}: ${command}\nended with ${ran.code} and printed\n${ran.printed}\nand not\n${output}`);
    },
    async serve(name, { line, command, output }) {
      await this.stop(name);
      const served = serving(start(`${endWithParent}\n${withSettings(command, port)}`));
      servers.set(name, served);
      await waitUntil(`line ${line}: ${command} to print\n${output}`, () => {
        if (served.hasEnded()) throw new Error(`line ${line}: ${command} ended:\n${served.printed()}`);
        if (output === "") return served.shown() !== "" || componentIsReady.test(served.printed());
        return outputMatches(output, served.shown(), { prefix: true });
      }).catch((error: unknown) => {
        throw new Error(`line ${line}: ${command} printed\n${served.printed()}\nand not\n${output}`, { cause: error });
      });
    },
    async stop(name) {
      await servers.get(name)?.stop();
      servers.delete(name);
    },
  };
}

/** Components in processes of their own, etcd and HAProxy print nothing but their log. */
const componentIsReady = /caches synced|nodes ready|ready to serve client requests|Loading success/;

/** For waiting only: by then what the page shows will not come. */
const maxReadMs = 60_000;

const reads = /^(npx coxswain )?kubectl (get|describe|logs|top|auth)\b|^curl /;

function environment(home: string): NodeJS.ProcessEnv {
  const entries = Object.entries({ ...process.env, ...strangersEnvironment(thisNode()), HOME: home, LC_ALL: "C" });
  const kept = entries.filter(([name, value]) => value !== undefined && !name.startsWith("XDG_"));
  // What npm is set to, and what it keeps for its next run, stay where they were; its warnings are not of the page.
  const { HOME = home, npm_config_cache = join(HOME, ".npm"), npm_config_userconfig = join(HOME, ".npmrc") } = process.env;
  const { npm_config_globalconfig } = process.env;
  const npm = { npm_config_cache, npm_config_userconfig, npm_config_globalconfig };
  return { ...Object.fromEntries(kept), ...npm, npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
}

/** A server of a test run that is killed ends, too: the input of its shell is closed then. */
const endWithParent = "{ cat; kill -INT -- -$$; } <&0 >/dev/null 2>&1 &\nexec </dev/null";

const withPort = (command: string, port: number): string => command.replaceAll("127.0.0.1:6443", `127.0.0.1:${port}`);

/** What every page leaves to its defaults, which are not for a machine where others work, too. */
function withSettings(command: string, port: number): string {
  if (!/^npx coxswain(?! (?:kubelet|scheduler|controllers|dns)\b)/.test(command)) return `exec ${command}`;
  const [, before = "", comment = ""] = /^(.*?)(\s+# .*)?$/s.exec(command) ?? [];
  const portFlag = /--port\b/.test(command) ? "" : ` --port=${port}`;
  const runtime = /--(runtime|apiserver-only|no-node)\b/.test(command) ? "" : " --runtime=simulated";
  return `exec ${before}${portFlag}${runtime}${comment}`;
}

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  let printed = "";
  child.stdin?.end();
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const timer = setTimeout(() => signal(child, "SIGKILL"), hangMs);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { code, printed };
}

interface Served {
  /** On standard output. */
  shown(): string;
  printed(): string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

function serving(child: ChildProcess): Served {
  let [shown, printed] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    printed += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const closed = once(child, "close");
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    shown: () => shown,
    printed: () => printed,
    hasEnded,
    async stop() {
      if (!hasEnded()) signal(child, "SIGINT");
      child.stdin?.destroy();
      await closed;
    },
  };
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, name);
}
