/** What the modules and declarations of a folder import that does not stand beside them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

/** The names as they are written: `@coxswain/client/node`, `node:fs`, `ws`. */
export function importedNames(folder: string, pattern: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const path of globSync(pattern, { cwd: folder }))
    for (const name of namesIn(path, readFileSync(join(folder, path), "utf8"))) if (!name.startsWith(".")) names.add(name);
  return names;
}

/** `@coxswain/client/node` is of `@coxswain/client`. */
export const packageOf = (name: string): string => name.split("/", name.startsWith("@") ? 2 : 1).join("/");

function* namesIn(path: string, text: string): Iterable<string> {
  const { module } = parseSync(path, text);
  for (const { moduleRequest } of module.staticImports) yield moduleRequest.value;
  for (const { entries } of module.staticExports) for (const { moduleRequest } of entries) if (moduleRequest) yield moduleRequest.value;
  // The name may be an expression; then it is whatever the user has named.
  for (const { moduleRequest } of module.dynamicImports) {
    const [, name] = /^(?:"(.*)"|'(.*)')$/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    if (name !== undefined) yield name;
  }
  if (path.endsWith(".d.ts")) for (const [, name] of text.matchAll(/\bimport\("([^"]+)"\)/g)) if (name !== undefined) yield name;
}
