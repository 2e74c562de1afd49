import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { rename, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { giveToGroup } from "./ownership.ts";

const group = process.getgid?.() ?? 0;

const folderFor = (t: { after(fn: () => void): void }): string => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

test("the group may read and write what is in the volume", async (t) => {
  const volume = folderFor(t);
  mkdirSync(join(volume, "below"), { mode: 0o700 });
  writeFileSync(join(volume, "below/file"), "", { mode: 0o600 });
  await giveToGroup(volume, { group, readOnly: false, onRootMismatch: false });
  assert.deepEqual([modeOf(volume), modeOf(join(volume, "below")), modeOf(join(volume, "below/file"))], ["2770", "2770", "660"]);
});

test("what links of the volume lead to keeps its mode", async (t) => {
  const volume = folderFor(t);
  const outside = join(folderFor(t), "file");
  writeFileSync(outside, "");
  chmodSync(outside, 0o600);
  symlinkSync(outside, join(volume, "link"));
  await giveToGroup(volume, { group, readOnly: false, onRootMismatch: false });
  assert.equal(modeOf(outside), "600");
});

test("what links lead to that a container makes meanwhile keeps its mode", async (t) => {
  const volume = folderFor(t);
  const outside = folderFor(t);
  const target = join(outside, "file");
  writeFileSync(target, "");
  chmodSync(target, 0o600);
  chmodSync(outside, 0o700);
  let stopped = false;
  const swap = async (): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      writeFileSync(join(volume, "new"), "");
      await rename(join(volume, "new"), join(volume, "x"));
      await symlink(i % 2 === 0 ? target : outside, join(volume, "new"));
      await rename(join(volume, "new"), join(volume, "x"));
    }
  };
  const swapping = swap();
  for (let i = 0; i < 300; i++) await giveToGroup(volume, { group, readOnly: false, onRootMismatch: false });
  stopped = true;
  await swapping;
  assert.deepEqual([modeOf(target), modeOf(outside)], ["600", "700"]);
});
