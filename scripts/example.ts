/** Runs an example by its number: `npm run example 02`. Without one, says which there are. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { folder, stories } from "../examples/support/output.ts";

const wanted = process.argv[2];
const story = stories().find((name) => wanted !== undefined && name.startsWith(wanted.padStart(2, "0")));
if (story === undefined) {
  process.stdout.write(`${stories().join("\n")}\n`);
  process.exitCode = wanted === undefined ? 0 : 1;
} else {
  const example = spawn(process.execPath, [join(folder, `${story}.ts`)], { stdio: "inherit" });
  example.on("exit", (code) => process.exit(code ?? 1));
}
