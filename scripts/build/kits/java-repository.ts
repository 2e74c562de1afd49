/** Deploys the jars of kits/java to a folder that is a Maven repository. */
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../checks/tree.ts";
import { runKitProgram } from "./kit-program.ts";
import type { CarriedExecutable } from "./python-wheel.ts";

/** The sources of the kit. */
export const javaKit = join(root, "kits/java");

export interface JavaRepository {
  /** Where the jars are deployed to. */
  readonly folder: string;
  /** Of 64-bit Linux on Intel; without it there is no jar of a platform. */
  readonly executable?: CarriedExecutable;
  /** Further arguments of Maven: without any it runs the tests, which need a coxswain to run. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Into `folder`, and not into the local repository of this user. @throws Error with what Maven printed */
export function deployJava({ folder, executable, args = [], env = {} }: JavaRepository): void {
  const scratch = mkdtempSync(join(tmpdir(), "coxswain-java-"));
  using _ = { [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
  const source = join(scratch, "kits/java");
  cpSync(javaKit, source, { recursive: true, filter: (path) => !/\/(example|target)$/.test(path) });
  copyFileSync(join(root, "LICENSE"), join(scratch, "LICENSE"));
  const carried = executable === undefined ? [] : [`-Dcoxswain.executable.folder=${resourcesOf(executable, join(scratch, "executable"))}`];
  const target = `-DaltDeploymentRepository=folder::${pathToFileURL(folder)}`;
  runKitProgram("mvn", ["-q", "-B", "deploy", target, "-Dmaven.install.skip=true", ...carried, ...args], { cwd: source, env });
}

/** As the module `executable` takes them. */
function resourcesOf({ path, licences }: CarriedExecutable, folder: string): string {
  const platform = join(folder, "linux-x86_64");
  mkdirSync(platform, { recursive: true });
  copyFileSync(path, join(platform, "coxswain"));
  writeFileSync(join(platform, "coxswain.sha256"), `${createHash("sha256").update(readFileSync(path)).digest("hex")}\n`);
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(licences, join(folder, "LICENSE-executable.txt"));
  return folder;
}
