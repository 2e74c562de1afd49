import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openRegular, readRegular } from "./open-regular.ts";

const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string): string => join(folder, name);
writeFileSync(path("file"), "content");
symlinkSync(path("file"), path("link"));
mkdirSync(path("directory"));
execFileSync("mkfifo", [path("pipe")]);

test("a regular file is opened", async () => {
  await using file = await openRegular(path("file"));
  assert.equal((await file.stat()).size, 7);
  assert.equal(await readRegular(path("file"), 7), "content");
});

test("a regular file that is too large is not read", async () => {
  await assert.rejects(readRegular(path("file"), 6), { message: `${path("file")} is larger than 6 bytes` });
});

test("a link is not followed", async () => {
  await assert.rejects(openRegular(path("link")), { code: "ELOOP" });
});

for (const name of ["pipe", "directory"]) {
  test(`a ${name} is refused at once`, async () => {
    await assert.rejects(openRegular(path(name)), { message: `${path(name)} is not a regular file` });
  });
}

test("a file that is not there is missing", async () => {
  await assert.rejects(openRegular(path("missing")), { code: "ENOENT" });
});
