/** The sources as TypeScript's own compiler reads them, by its API: syntax trees, and types where a rule asks for them. */
import { join } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API, type Checker } from "typescript/unstable/sync";
import { root } from "./tree.ts";

export interface Program extends Disposable {
  readonly checker: Checker;
  /** By path from the root, as in `readTree`; `undefined` for a file that tsconfig.json does not include. */
  readonly sourceFile: (path: string) => SourceFile | undefined;
}

/** What tsconfig.json includes. */
export const openProgram = (): Program => open(new API({ cwd: root }), root);

/** Only these files, by path, for the tests of the rules. */
export function openVirtualProgram(files: Readonly<Record<string, string>>): Program {
  const config = JSON.stringify({
    compilerOptions: { noLib: true, types: [], module: "nodenext", allowImportingTsExtensions: true, noEmit: true },
  });
  const all = Object.entries({ ...files, "tsconfig.json": config }).map(([path, text]) => [`/${path}`, text]);
  return open(new API({ cwd: "/", fs: createVirtualFileSystem(Object.fromEntries(all)) }), "/");
}

function open(api: API, folder: string): Program {
  const config = join(folder, "tsconfig.json");
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error(`${config} is no project`);
  return {
    checker: project.checker,
    sourceFile: (path) => project.program.getSourceFile(join(folder, path)),
    [Symbol.dispose]: () => api.close(),
  };
}

/** Calls `visit` for the node and everything below it, parents first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}

/** Counted from 1. */
export function lineOf(source: SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}
