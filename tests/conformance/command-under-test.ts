/** Starts the real command, as a user would. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serversUnderTest, storeOptions } from "../store-options.ts";

export const root = join(import.meta.dirname, "..", "..");
export const mainFile = join(root, "packages/coxswain/bin/coxswain.mjs");

export interface CommandUnderTest {
  readonly server: string;
  readonly kubeconfig: string;
  readonly token: string;
  /** A directory of the test's own; gone after `stop`. */
  readonly directory: string;
  readonly process: ChildProcess;
  /** What it has logged so far. */
  log(): string;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

const token = "conformance";

/** That of a process with several servers comes when all of them listen. */
async function answered(url: string): Promise<void> {
  const request = get(url, { rejectUnauthorized: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
}

/**
 * `options` say where its state is: `--ephemeral`, or a data directory. Controllers run if they say which, and everything
 * that `coxswain` has if they say what runs containers.
 */
export async function startCommand(...options: readonly string[]): Promise<CommandUnderTest> {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  const kubeconfig = join(directory, "kubeconfig");
  const tokens = join(directory, "tokens.csv");
  writeFileSync(tokens, `${token},tester,tester,"system:masters"\n`);
  const says = (name: string): boolean => options.some((option) => option.startsWith(name));
  const alone = says("--runtime") ? [] : says("--controllers") ? ["--no-scheduler", "--no-node"] : ["--apiserver-only"];
  const fixed = [...alone, "--port", "0", "--kubeconfig", kubeconfig, "--token-auth-file", tokens];
  const child = spawn(process.execPath, [mainFile, ...fixed, ...storeOptions(options), ...options], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const started = new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    child.once("exit", (code) => reject(new Error(`coxswain ended with ${code}:\n${log}`)));
  });
  await started;
  const server = /server: (\S+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
  if (server === undefined) throw new Error("the kubeconfig names no server");
  if (serversUnderTest() > 1) await answered(`${server}/readyz`);
  return {
    server,
    kubeconfig,
    token,
    directory,
    process: child,
    log: () => log,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      rmSync(directory, { recursive: true, force: true });
      const refusals = log.split("\n").filter((line) => line.includes("lacks a right"));
      if (refusals.length > 0) throw new Error(`parts of the cluster asked for more than their roles allow:\n${refusals.join("\n")}`);
      return child.exitCode;
    },
  };
}
