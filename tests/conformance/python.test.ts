/** Controllers and scripts in Python: a program on the official client drives the real command. */
import { join } from "node:path";
import { test } from "node:test";
import { assertAllOk, installed, readBeside, run, startWithShortHistory } from "./client-program.ts";

const source = join(import.meta.dirname, "python");
const python = await run("python3", ["--version"], { timeoutMs: 20_000 });

test("the Python client: typed and dynamic calls, patches, apply, watches, YAML files, leader election", {
  skip: python.code === 0 ? false : "Python is not installed",
  timeout: 10 * 60_000,
}, async (t) => {
  const library = await installed({
    name: "python",
    inputs: [python.stdout, process.platform, process.arch, readBeside(source, "requirements.txt")],
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
  if ("missing" in library) {
    t.skip(library.missing);
    return;
  }
  const command = await startWithShortHistory(t);
  const env = { PYTHONPATH: library.folder, PYTHONDONTWRITEBYTECODE: "1", TMPDIR: command.directory };
  assertAllOk(await run("python3", [join(source, "main.py"), command.kubeconfig], { env, timeoutMs: 120_000 }), 50);
});
