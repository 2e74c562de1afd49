/** The licences of all that is in the executable. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../checks/tree.ts";

/** Our own, Node's with those of its parts, and one of each package. @throws Error for a package without one */
export function licencesOfExecutable(nodeFolder: string, packages: readonly string[]): string {
  const parts = [
    part("coxswain", readFileSync(join(root, "LICENSE"), "utf8")),
    part("Node.js and what it contains", readFileSync(join(nodeFolder, "LICENSE"), "utf8")),
    ...packages.map(licenceOf),
  ];
  return `This program consists of the following parts, each under its own terms.\n\n${parts.join("\n")}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const [file] = globSync("{LICEN[CS]E,licen[cs]e,COPYING}*", { cwd: folder }).sort();
  if (file === undefined) throw new Error(`${name} ${version} (${license}) has no licence`);
  return part(`${name} ${version}`, readFileSync(join(folder, file), "utf8"));
}

const part = (title: string, text: string): string => `${"=".repeat(78)}\n${title}\n${"=".repeat(78)}\n\n${text.trim()}\n`;
