/** Programs in JavaScript: one on the official client drives the real command. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertAllOk, installed, readBeside, run, startWithShortHistory } from "./client-program.ts";

const source = join(import.meta.dirname, "javascript");

test("the JavaScript client: typed calls, patches, apply, watches, informers, objects of any kind", { timeout: 10 * 60_000 }, async (t) => {
  const library = await installed({
    name: "javascript",
    inputs: [readBeside(source, "package-lock.json")],
    install(folder) {
      for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(source, file), join(folder, file));
      return run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, timeoutMs: 5 * 60_000 });
    },
  });
  if ("missing" in library) {
    t.skip(library.missing);
    return;
  }
  const command = await startWithShortHistory(t);
  const args = [join(source, "main.mjs"), command.kubeconfig, library.folder];
  assertAllOk(await run(process.execPath, args, { env: { TMPDIR: command.directory }, timeoutMs: 120_000 }), 28);
});
