/** Builds the kits for Python and Java with the executables that stand in dist/executable. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../checks/tree.ts";
import { executablePath } from "../executable/build-executable.ts";
import { platforms, thisPlatform } from "../executable/platforms.ts";
import { deployJava } from "./java-repository.ts";
import { runKitProgram } from "./kit-program.ts";
import { buildWheel, type CarriedExecutable } from "./python-wheel.ts";

/** Where wheels stand. */
export const pythonDir = join(root, "dist/python");

/** A Maven repository with the jars. */
export const javaDir = join(root, "dist/maven");

/** Returns the paths of the wheels: one for every platform, and one for each that has an executable. */
export function buildPython(): string[] {
  emptied(pythonDir);
  return [undefined, ...presentExecutables()].map((executable) => buildWheel(pythonDir, executable));
}

/** Without the tests of the kit. */
export function buildJava(): void {
  const executable = presentExecutables().find(({ path }) => path.endsWith("-linux-x64"));
  deployJava({ folder: emptied(javaDir), args: ["-DskipTests"], ...(executable === undefined ? {} : { executable }) });
}

/** With what it says of itself. */
export const carriedExecutable = (path: string): CarriedExecutable => ({
  path,
  licences: runKitProgram(path, ["licences"], { cwd: root }),
});

/** Makes it a folder with nothing in it. */
export function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The one of this platform prints the licences; those of the others are the same. */
function presentExecutables(): CarriedExecutable[] {
  const present = platforms.filter((platform) => existsSync(executablePath(platform)));
  if (present.length === 0) return [];
  const own = present.find((platform) => platform === thisPlatform);
  if (own === undefined) throw new Error(`dist/executable has none for ${thisPlatform}, which prints the licences`);
  const { licences } = carriedExecutable(executablePath(own));
  return present.map((platform) => ({ path: executablePath(platform), licences }));
}
