/** Builds the kits for Python and Java with the executables that stand in dist/executable. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../checks/tree.ts";
import { executablePath, licencesPath } from "../executable/build-executable.ts";
import { type Platform, platforms } from "../executable/platforms.ts";
import { deployJava } from "./java-repository.ts";
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

/** An executable, with the file of licences that its build has written beside it. */
export const carriedExecutable = (platform: Platform): CarriedExecutable => ({
  path: executablePath(platform),
  licences: licencesPath(platform),
});

/** Makes it a folder with nothing in it. */
export function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

const presentExecutables = (): CarriedExecutable[] =>
  platforms.filter((platform) => existsSync(executablePath(platform))).map(carriedExecutable);
