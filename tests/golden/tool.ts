/** The tool that replays scenarios, which is shared with other projects and may be absent. */
import { spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { type CommandUnderTest, root, startCommand } from "../conformance/command-under-test.ts";

const tool = process.env.GOLDEN_TOOL ?? join(root, "..", "shared", "golden", "golden.mjs");

export const toolIsThere: boolean = existsSync(tool);
export const expectedDirectory: string = join(import.meta.dirname, "expected");

/** In the order of their names; all of them, or those that are named. */
export const scenarioFiles = (...names: readonly string[]): string[] =>
  names.length === 0
    ? globSync(join(import.meta.dirname, "scenarios", "*.json")).sort()
    : names.map((name) => join(import.meta.dirname, "scenarios", `${name}.json`));

/** A new server without objects, for one replay. */
export const startEmptyServer = (): Promise<CommandUnderTest> => startCommand("--ephemeral", "--log-level", "error");

/** Runs the tool against that server; resolves with what it printed. */
export function runTool(
  mode: "record" | "compare",
  { server, token }: CommandUnderTest,
  options: readonly string[],
  files: readonly string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = [tool, mode, "--server", server, "--token", token, ...options, ...files];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let report = "";
    child.stdout.on("data", (chunk: Buffer) => {
      report += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", () => resolve(report));
  });
}
