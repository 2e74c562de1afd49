/** The terms of what a bundle contains of other projects. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../checks/tree.ts";

/**
 * The text that goes beside a package, or undefined where nothing of others is in it. `modules`: their ids, as the bundler has them.
 * @throws Error for a project without a licence
 */
export function licencesOf(modules: readonly string[]): string | undefined {
  const projects = new Set(modules.map(projectOf).filter((name) => name !== undefined));
  if (projects.size === 0) return undefined;
  const texts = Array.from(projects, (name) => `${name} ${licenceOf(name)}`);
  return `This package contains parts of other projects, under these terms.\n\n${texts.sort().join("\n")}`;
}

/** undefined for our own modules. */
function projectOf(module: string): string | undefined {
  if (module.startsWith("\0rolldown/")) return "rolldown";
  if (/^\0?@oxc-project[+/]runtime\b/.test(module)) return "@oxc-project/runtime";
  const [, name] = /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module) ?? [];
  if (name === undefined && module.startsWith("\0")) throw new Error(`nobody knows whose ${JSON.stringify(module)} is`);
  return name;
}

/** What rewrites `using` comes inside the bundler; its licence does not. */
const withoutFolder: Readonly<Record<string, string>> = { "@oxc-project/runtime": "licences/oxc-runtime.txt" };

function licenceOf(name: string): string {
  const kept = withoutFolder[name];
  if (kept !== undefined) return `\n\n${readFileSync(join(import.meta.dirname, kept), "utf8").trim()}\n`;
  const folder = join(root, "node_modules", name);
  const [file] = globSync("LICEN[CS]E*", { cwd: folder });
  if (file === undefined) throw new Error(`${name} has no licence`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string };
  return `${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
