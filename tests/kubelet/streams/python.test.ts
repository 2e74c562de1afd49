/** Scripts in Python: the official client's WebSockets. */
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, run } from "../../conformance/client-program.ts";
import { pythonLibrary } from "../../conformance/python-library.ts";
import { startEcho } from "./echo-server.ts";
import { startNode } from "./start-node.ts";

const python = await run("python3", ["--version"], { timeoutMs: hangMs });

test("the Python client: commands and ports", {
  skip: python.code === 0 ? false : "Python is not installed",
  timeout: 10 * 60_000,
}, async (t) => {
  const library = await pythonLibrary(python.stdout);
  if ("missing" in library) return t.skip(library.missing);
  await using node = await startNode();
  await using echo = await startEcho("at once");
  const env = { PYTHONPATH: library.folder, PYTHONDONTWRITEBYTECODE: "1" };
  const script = join(import.meta.dirname, "python_client.py");
  assertAllOk(await run("python3", [script, node.kubeconfig, String(echo.port)], { env, timeoutMs: hangMs }), 4);
});
