/** Scripts for shells, whole: they ask coxswain nothing, but for what kubectl completes. */
import type { Command } from "commander";
import { bashScript } from "./bash.ts";
import { completionCommandOf } from "./completion-words.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

interface NamedCommand {
  readonly name: string;
  readonly summary: string;
  readonly command: Command;
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionScript(shell: keyof typeof scripts, root: Command, below: readonly NamedCommand[]): string {
  const commands = [
    completionCommandOf(root, { name: "", summary: "" }),
    ...below.map(({ command, name, summary }) => completionCommandOf(command, { name, summary })),
  ];
  return scripts[shell](commands);
}
