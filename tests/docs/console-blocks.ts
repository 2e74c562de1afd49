/** The commands of a page of documentation with what it shows of their output, and the files that it has one write. */

export interface ShownCommand {
  /** In the page. */
  readonly line: number;
  /** As a shell takes it, with the lines of a here-document. */
  readonly command: string;
  /** Without empty lines at both ends; empty when the page shows none. */
  readonly output: string;
}

export type Step =
  /** "```console": commands, one after the other. */
  | { readonly kind: "commands"; readonly commands: readonly ShownCommand[] }
  /** "```console server": one that serves on. A further one of the same name takes its place: "```console server=worker". */
  | { readonly kind: "server"; readonly name: string; readonly command: ShownCommand }
  /** "```console stop": ends that server as a Ctrl-C does, which is what the block shows. */
  | { readonly kind: "stop"; readonly name: string }
  /** '```console skip="reason"': what no test can run. */
  | { readonly kind: "skipped"; readonly line: number; readonly reason: string }
  /** "```yaml pod.yaml". */
  | { readonly kind: "file"; readonly path: string; readonly text: string };

/** @throws Error for a block that says something else */
export function stepsOf(page: string): Step[] {
  const fence = /^( *)```(\w+)(.*)\n([\s\S]*?)^\1```$/gm;
  return Array.from(page.matchAll(fence)).flatMap(({ 1: indent = "", 2: language = "", 3: info = "", 4: indented = "", index }): Step[] => {
    const text = indented.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    const line = page.slice(0, index).split("\n").length;
    if (language !== "console") {
      const path = info.split(" ").find((word) => /^[\w./-]+\.\w+$/.test(word));
      return path === undefined ? [] : [{ kind: "file", path, text }];
    }
    return [consoleStep(info.trim(), text, line)];
  });
}

function consoleStep(info: string, text: string, line: number): Step {
  const reason = /^skip="(.+)"$/.exec(info)?.[1];
  if (reason !== undefined) return { kind: "skipped", line, reason };
  const stop = /^stop(?:=([a-z-]+))?$/.exec(info);
  if (stop !== null && text.trim() === "^C") return { kind: "stop", name: stop[1] ?? "server" };
  const commands = commandsOf(text, line + 1);
  if (info === "") return { kind: "commands", commands };
  const server = /^server(?:=([a-z-]+))?$/.exec(info);
  const [command, ...others] = commands;
  if (server === null || command === undefined || others.length > 0) throw new Error(`line ${line}: what is "console ${info}"?`);
  return { kind: "server", name: server[1] ?? "server", command };
}

/** @throws Error when the block does not begin with a command */
function commandsOf(text: string, firstLine: number): ShownCommand[] {
  const commands: { line: number; command: string; output: string[]; end: string | undefined }[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    const current = commands.at(-1);
    if (current?.end !== undefined) {
      current.command += `\n${line}`;
      if (line === current.end) current.end = undefined;
    } else if (current?.command.endsWith("\\")) current.command += `\n${line}`;
    else if (line.startsWith("$ ")) {
      const end = /<<-?\s*'?(\w+)'?/.exec(line)?.[1];
      commands.push({ line: firstLine + i, command: line.slice(2), output: [], end });
    } else if (current !== undefined) current.output.push(line);
    else if (line.trim() !== "") throw new Error(`line ${firstLine + i}: "${line}" is no command`);
  }
  return commands.map(({ line, command, output }) => ({ line, command, output: output.join("\n").replace(/^\s*\n|\s+$/g, "") }));
}
