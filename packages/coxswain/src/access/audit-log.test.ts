import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { ManualClock } from "@coxswain/machinery";
import { openAuditLog, outdated } from "./audit-log.ts";

test("full files are renamed by the time, and the oldest of them go", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-audit-log-"));
  try {
    const path = join(folder, "logs", "audit.log");
    const clock = new ManualClock();
    await using log = openAuditLog(path, { maxAge: 0, maxBackups: 1, maxSize: 1, compress: false }, { clock, onError: assert.ifError });
    const line = `${"x".repeat(700_000)}\n`;
    for (const last of ["1\n", "2\n", "3\n"]) {
      log.write(line + last);
      await clock.advance(1_000);
    }
    const names = readdirSync(join(folder, "logs")).sort();
    assert.equal(names.length, 2);
    assert.match(names[0] ?? "", /^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
    assert.equal(readFileSync(join(folder, "logs", names[0] ?? ""), "utf8").at(-2), "2");
    assert.equal(readFileSync(path, "utf8").at(-2), "3");
    assert.equal(statSync(path).mode & 0o777, 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("full files are compressed where that is wanted, and read the same", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-audit-log-"));
  try {
    const path = join(folder, "audit.log");
    const clock = new ManualClock();
    const lines = ["a", "b"].map((letter) => `${letter.repeat(700_000)}\n`);
    {
      await using log = openAuditLog(path, { maxAge: 0, maxBackups: 0, maxSize: 1, compress: true }, { clock, onError: assert.ifError });
      for (const line of lines) log.write(line);
    }
    const [backup = "", ...others] = readdirSync(folder).sort();
    assert.match(backup, /^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log\.gz$/);
    assert.deepEqual(others, ["audit.log"]);
    assert.equal(gunzipSync(readFileSync(join(folder, backup))).toString(), lines[0]);
    assert.equal(statSync(join(folder, backup)).mode & 0o777, 0o600);
    assert.equal(readFileSync(path, "utf8"), lines[1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const at = Date.parse("2026-01-10T00:00:00Z");
const names = ["a-2026-01-09T00-00-00.000.log", "a-2026-01-01T00-00-00.000.log", "a.log", "a-other.log", "b-2026-01-01T00-00-00.000.log"];
for (const { name, limits, expected } of [
  { name: "keeps all without limits", limits: { maxAge: 0, maxBackups: 0 }, expected: [] },
  { name: "deletes what is older", limits: { maxAge: 5, maxBackups: 0 }, expected: ["a-2026-01-01T00-00-00.000.log"] },
  { name: "deletes the oldest beyond the number", limits: { maxAge: 0, maxBackups: 1 }, expected: ["a-2026-01-01T00-00-00.000.log"] },
]) {
  test(name, () => assert.deepEqual(outdated(names, { path: "/x/a.log", limits, now: at }), expected));
}
