import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { recordSuite } from "./record-suite.ts";

const delimiter = "-".repeat(30);
const spec = (name: string, end: string): string => [delimiter, `${name} [sig-node]`, "/x/a.go:1", end].join("\n");
const first = spec("[sig-node] first", "• [1.000 seconds]");
const second = spec("[sig-node] second", "• [FAILED] [2.000 seconds]\n\n  [FAILED] no such thing\n  In [It] at: /x/a.go:2 @ now");
const ended = "Ran 1 of 9 Specs in 3 seconds";

test("a run that is cut off keeps how specs ended, and the next one goes on behind them", { timeout: hangMs }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // Prints its last argument, and is killed there or goes on to its end with those before it.
  const script = join(folder, "suite.mjs");
  writeFileSync(
    script,
    `console.log(process.argv[3]);
     if (process.argv[2] === "killed") process.stdout.write("", () => process.kill(process.pid, "SIGKILL"));
     else console.error(JSON.stringify(process.argv.slice(4)));`,
  );
  const printed: string[] = [];
  const run = (how: string, says: string) =>
    recordSuite({ program: process.execPath, args: [script, how, says], folder, print: (text) => printed.push(text) });

  const cut = await run("killed", ["Will run 2 of 9 specs", first, second].join("\n"));
  assert.equal(cut.hasEnded, false);
  assert.deepEqual(
    cut.results.map(({ name, passed, message, place }) => ({ name, passed, message, place })),
    [
      { name: "[sig-node] first", passed: true, message: "", place: "" },
      { name: "[sig-node] second", passed: false, message: "no such thing", place: "/x/a.go:2, log.txt:9" },
    ],
  );
  assert.match(printed[1] ?? "", /^1\/2 \S+ passed after 1\.0 s: \[sig-node\] first\n$/);

  const resumed = await run("ends", [second.replace("• [FAILED] [2", "• [3").split("\n\n")[0], delimiter, ended].join("\n"));
  assert.deepEqual([resumed.hasEnded, resumed.results.map(({ passed }) => passed)], [true, [true, true]]);
  assert.match(readFileSync(join(folder, "log-2.txt"), "utf8"), /--ginkgo\.skip=[^"]*first/);
  assert.doesNotMatch(readFileSync(join(folder, "log-2.txt"), "utf8"), /skip=[^"]*second/);
});
