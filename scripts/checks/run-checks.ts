/** Runs the checks that need no server, two at a time, and shows the output of those that have something to say. */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { root } from "./tree.ts";

interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const bin = (name: string): string => join(root, "node_modules", ".bin", name);
const script = (name: string): Check => ({ name, command: [process.execPath, join("scripts", `verify-${name}.ts`)] });

const checks: readonly Check[] = [
  { name: "types", command: [bin("tsc"), "-p", "."] },
  { name: "types of the page", command: [bin("tsc"), "-p", "packages/ui/page", "--noEmit"] },
  { name: "lint and format", command: [bin("biome"), "check", "--error-on-warnings", "."] },
  script("layers"),
  { ...script("program"), name: "sizes, names and docs" },
  script("api-types"),
  script("client-resources"),
  script("cri-messages"),
];

/** Resolves with whether all of them passed. */
export async function runChecks(): Promise<boolean> {
  const waiting = [...checks];
  let passed = true;
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) passed = (await run(check)) && passed;
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return passed;
}

function run({ name, command: [file, ...args] }: Check): Promise<boolean> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("error", (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on("close", (code) => {
      const passed = code === 0;
      const text = Buffer.concat(output).toString();
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${passed ? "✔" : "✖"} ${name} (${seconds} s)`);
      if (!passed || name !== "lint and format") process.stdout.write(text);
      resolve(passed);
    });
  });
}
