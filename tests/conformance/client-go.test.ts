/** Controllers in Go: a program on the real client-go, compiled here, drives the real command. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { startCommand } from "./command-under-test.ts";

const source = join(import.meta.dirname, "client-go");
const hasGo = spawnSync("go", ["version"]).status === 0;

test("client-go: typed, dynamic and metadata clients, informers, conflicts, leader election", {
  skip: hasGo ? false : "Go is not installed",
  timeout: 10 * 60_000,
}, async (t) => {
  const command = await startCommand();
  t.after(() => command.stop());
  const program = join(command.directory, "client-go-conformance");
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd: source, encoding: "utf8" });
  if (built.status !== 0 && /dial tcp|no such host|connection refused|i\/o timeout/.test(built.stderr)) {
    t.skip("client-go cannot be fetched here");
    return;
  }
  assert.equal(built.status, 0, built.stderr);
  const ran = spawnSync(program, ["-kubeconfig", command.kubeconfig], { encoding: "utf8", timeout: 120_000 });
  const lines = ran.stdout.split("\n").filter((line) => line !== "");
  assert.deepEqual(
    lines.filter((line) => !line.startsWith("ok ")),
    [],
    ran.stderr,
  );
  assert.equal(lines.length, 16);
  assert.equal(ran.status, 0);
});
