import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

const launcher = join(import.meta.dirname, "run.mjs");

function launch(t: TestContext, program: string, ...args: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), "launcher-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "program.ts"), program);
  return spawn(process.execPath, [launcher, join(dir, "program.ts"), ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

test("the launcher passes arguments on and the exit code back", async (t) => {
  const child = launch(
    t,
    "const words: string[] = process.argv.slice(2); console.log(words.join('|')); process.exitCode = 7;",
    "--a",
    "b c",
  );
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const [code] = await once(child, "close");
  assert.deepEqual([code, printed], [7, "--a|b c\n"]);
});

test("the launcher passes signals on, and exits with the code of the program", async (t) => {
  const polite = launch(t, "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready');");
  await once(polite.stdout, "data");
  polite.kill("SIGTERM");
  assert.deepEqual(await once(polite, "exit"), [3, null]);

  const killed = launch(t, "process.kill(process.pid, 'SIGKILL');");
  assert.deepEqual(await once(killed, "exit"), [137, null]);
});
