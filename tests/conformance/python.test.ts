/** Controllers and scripts in Python: a program on the official client drives the real command. */
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, run } from "./client-program.ts";
import { pythonLibrary } from "./python-library.ts";
import { startWithShortHistory } from "./short-history.ts";

const source = join(import.meta.dirname, "python");
const python = await run("python3", ["--version"], { timeoutMs: hangMs });

test("the Python client: typed and dynamic calls, patches, apply, watches, YAML files, leader election", {
  skip: python.code === 0 ? false : "Python is not installed",
  timeout: 10 * 60_000,
}, async (t) => {
  const library = await pythonLibrary(python.stdout);
  if ("missing" in library) {
    t.skip(library.missing);
    return;
  }
  const command = await startWithShortHistory(t);
  const env = { PYTHONPATH: library.folder, PYTHONDONTWRITEBYTECODE: "1", TMPDIR: command.directory };
  assertAllOk(await run("python3", [join(source, "main.py"), command.kubeconfig], { env, timeoutMs: hangMs }), 50);
});
