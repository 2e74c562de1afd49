/** Does what a page of documentation says, in a folder: writes its files and runs its commands, in their order. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/checks/tree.ts";
import type { EmptyFolder } from "./empty-folder.ts";

export type Step =
  | { readonly do: "write"; readonly file: string; readonly text: string }
  | { readonly do: "run"; readonly command: string };

/** "```python test_web.py" is a file; a line that is indented by four is a command. What is fenced without a name only shows something. */
export function stepsOf(page: string): Step[] {
  const steps = /^```(?<info>.*)\n(?<text>[\s\S]*?)^```$|^ {4}(?<command>\S.*)$/gm;
  return Array.from(page.matchAll(steps)).flatMap(({ groups }): Step[] => {
    const { info = "", text = "", command } = groups ?? {};
    if (command !== undefined) return [{ do: "run", command }];
    const [, file] = info.split(" ");
    return file === undefined ? [] : [{ do: "write", file, text }];
  });
}

/** Each command has to succeed. Returns what they printed, by command. @param path from the repository */
export async function followPage(
  path: string,
  folder: EmptyFolder,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const printed = new Map<string, string>();
  for (const step of stepsOf(readFileSync(join(root, path), "utf8"))) {
    if (step.do === "write") {
      folder.write(step.file, step.text);
      continue;
    }
    const { code, stdout, stderr } = await folder.run("sh", ["-c", step.command], { env });
    assert.equal(code, 0, `${step.command}\n${stdout}${stderr}`);
    printed.set(step.command, stdout);
  }
  return printed;
}
