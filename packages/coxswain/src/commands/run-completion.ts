/** `coxswain completion`: scripts that are made of the commands' own options. */
import manifest from "../../package.json" with { type: "json" };
import { completionScript } from "../completion/completion-script.ts";
import { parseShell } from "../options/instance-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { commandTree } from "./command-tree.ts";

export async function runCompletion(args: readonly string[]): Promise<void> {
  const shell = parseCommandLine((output) => parseShell(args, output));
  if (shell === undefined) return;
  const { root, below } = commandTree(process.env, manifest.version, { print: () => undefined, printError: () => undefined });
  process.stdout.write(completionScript(shell, root, below));
}
