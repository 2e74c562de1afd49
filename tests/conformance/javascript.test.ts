/** Programs in JavaScript: one on the official client drives the real command. */
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { assertAllOk, installedFromNpm, run } from "./client-program.ts";
import { startWithShortHistory } from "./short-history.ts";

const source = join(import.meta.dirname, "javascript");

test("the JavaScript client: typed calls, patches, apply, watches, informers, objects of any kind", { timeout: 10 * 60_000 }, async (t) => {
  const library = await installedFromNpm("javascript", source);
  if ("missing" in library) {
    t.skip(library.missing);
    return;
  }
  const command = await startWithShortHistory(t);
  const args = [join(source, "main.mjs"), command.kubeconfig, library.folder];
  assertAllOk(await run(process.execPath, args, { env: { TMPDIR: command.directory }, timeoutMs: hangMs }), 28);
});
