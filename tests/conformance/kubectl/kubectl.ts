/** The kubectls of this machine, and running one. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { hangMs } from "@coxswain/machinery/testing";
import { runsAll } from "../../scope.ts";

export interface Kubectl {
  readonly path: string;
  readonly version: string;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string>>;

/** One for each version of interest. The Google Cloud SDK brings several, beside the one that it puts on the path. */
const names = ["kubectl", "kubectl.1.27", "kubectl.1.30", "kubectl.1.33"];
const sdks = ["/usr/lib/google-cloud-sdk/bin", join(homedir(), "google-cloud-sdk", "bin")];

/** The newest alone, or with `--all` each of them. */
export const chosenKubectls = (): Kubectl[] => (runsAll ? findKubectls() : findKubectls().slice(-1));

export function findKubectls(): Kubectl[] {
  const directories = [...(process.env.PATH ?? "").split(delimiter), ...sdks];
  const found = new Map<string, Kubectl>();
  for (const name of names) {
    const path = directories.map((directory) => join(directory, name)).find(existsSync);
    if (path === undefined) continue;
    const real = realpathSync(path);
    if (!found.has(real)) found.set(real, { path, version: versionOf(path, name) });
  }
  return [...found.values()];
}

function versionOf(path: string, name: string): string {
  const text = execFileSync(path, ["version", "--client", "--output=json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const { clientVersion } = JSON.parse(text) as { clientVersion?: { gitVersion?: string } };
  return `${name} ${clientVersion?.gitVersion ?? "of unknown version"}`;
}

export function runKubectl(kubectl: Kubectl, args: readonly string[], env: Environment, stdin = ""): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(kubectl.path, withTime(args), { env: { ...process.env, ...env }, timeout: hangMs });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      output.stdout += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output.stderr += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
    child.stdin.on("error", () => {}); // It may end without having read everything.
    child.stdin.end(stdin);
  });
}

/** `kubectl wait` gives up after half a minute by itself. */
const withTime = (args: readonly string[]): readonly string[] =>
  args[0] === "wait" && !args.some((arg) => arg.startsWith("--timeout")) ? [...args, `--timeout=${hangMs / 1000}s`] : args;

/** Follows the output of a kubectl that does not end by itself: one line for each call of `next`. */
export class Follower implements Disposable {
  readonly #child: ReturnType<typeof spawn>;
  readonly #lines: AsyncIterator<string>;

  constructor(kubectl: Kubectl, args: readonly string[], env: Environment) {
    this.#child = spawn(kubectl.path, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"], timeout: hangMs });
    this.#lines = lines(this.#child.stdout ?? []);
  }

  async next(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error("kubectl ended");
    return value;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

async function* lines(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
