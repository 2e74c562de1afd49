/** Runs an example by its number: `npm run example 02`. Without one, says which there are. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { examples, folder } from "../examples/support/output.ts";
import { vitestProject } from "../examples/support/vitest-project.ts";

const wanted = process.argv[2];
const found = examples().find((file) => wanted !== undefined && file.startsWith(`${wanted.padStart(2, "0")}-`));
if (found !== undefined) await run(found);
else if (wanted === undefined) process.stdout.write(`${list()}\n`);
else fail(`There is no example ${wanted}. There are:\n${list()}`);

function list(): string {
  return examples().join("\n");
}

/** Tests are run as tests. */
async function run(file: string): Promise<void> {
  if (file.endsWith(".test.ts")) return start(["--test", join(folder, file)]);
  if (!file.endsWith(".spec.ts")) return start([join(folder, file)]);
  const project = await vitestProject(file);
  if ("missing" in project) return fail(`${file} needs Vitest: ${project.missing}`);
  process.on("exit", () => project.remove());
  start([project.vitest, "run", "--root", project.path]);
}

function start(args: readonly string[]): void {
  const example = spawn(process.execPath, args, { stdio: "inherit" });
  example.on("exit", (code) => process.exit(code ?? 1));
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
