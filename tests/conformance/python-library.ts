import { join } from "node:path";
import { type Installed, installed, readBeside, run } from "./client-program.ts";

const source = join(import.meta.dirname, "python");

/** The official client for Python. @param version what Python says of itself */
export const pythonLibrary = (version: string): Promise<Installed> =>
  installed({
    name: "python",
    inputs: [version, process.platform, process.arch, readBeside(source, "requirements.txt")],
    install: (folder) =>
      run(
        "python3",
        [
          "-m",
          "pip",
          "install",
          "--quiet",
          "--disable-pip-version-check",
          "--only-binary=:all:",
          "--target",
          folder,
          "-r",
          "requirements.txt",
        ],
        { cwd: source, timeoutMs: 5 * 60_000 },
      ),
  });
