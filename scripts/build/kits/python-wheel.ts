/** Makes wheels of kits/python. */
import { cpSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../checks/tree.ts";
import { runKitProgram } from "./kit-program.ts";

/** The sources of the kit. */
export const pythonKit = join(root, "kits/python");

/** An executable that a kit carries. */
export interface CarriedExecutable {
  /** As the build names it, `coxswain-linux-x64`. */
  readonly path: string;
  /** A file with the licences of all that is in it. */
  readonly licences: string;
}

/**
 * Writes a wheel into `folder` and returns its path: for the platform of the executable, or without one for every platform.
 * @throws Error with what pip printed
 */
export function buildWheel(folder: string, executable?: CarriedExecutable): string {
  const scratch = mkdtempSync(join(tmpdir(), "coxswain-wheel-"));
  using _ = { [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
  const source = join(scratch, "source");
  // A build leaves files where it runs.
  cpSync(pythonKit, source, { recursive: true, filter: (path) => !/\/(example|dist|__pycache__|\.\w+_cache)$/.test(path) });
  const env = { COXSWAIN_WHEEL_EXECUTABLE: executable?.path ?? "", COXSWAIN_WHEEL_LICENCES: executable?.licences ?? "" };
  const made = join(scratch, "made");
  const args = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", made, source];
  runKitProgram("python3", args, { cwd: scratch, env });
  const [wheel] = globSync("*.whl", { cwd: made });
  if (wheel === undefined) throw new Error("pip made no wheel");
  cpSync(join(made, wheel), join(folder, wheel));
  return join(folder, wheel);
}
