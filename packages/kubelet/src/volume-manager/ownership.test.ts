import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { open, rename, symlink } from "node:fs/promises";
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

const onLinux = process.platform === "linux" ? {} : { skip: "only Linux has descriptors of places" };
for (const { name, mode } of [
  { name: "a file", mode: "600" },
  { name: "a directory", mode: "700" },
])
  test(`what was looked at is what gets the group, when ${name} becomes a link in that moment`, onLinux, async (t) => {
    const volume = folderFor(t);
    const target = join(folderFor(t), "target");
    const entry = join(volume, "entry");
    for (const path of [target, entry]) {
      if (name === "a file") writeFileSync(path, "");
      else mkdirSync(path);
      chmodSync(path, Number.parseInt(mode, 8));
    }
    const handle = await open(volume);
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const { stat } = prototype;
    let isSwapped = false;
    t.mock.method(prototype, "stat", async function (this: typeof handle) {
      const found = await stat.call(this);
      if (!isSwapped && (name === "a file" ? found.isFile() : found.ino === statSync(entry).ino)) {
        isSwapped = true;
        renameSync(entry, `${volume}-moved`);
        symlinkSync(target, entry);
      }
      return found;
    });
    t.after(() => rmSync(`${volume}-moved`, { recursive: true, force: true }));
    await giveToGroup(volume, { group, readOnly: false, onRootMismatch: false });
    assert.ok(isSwapped, "nothing was looked at through a descriptor");
    assert.equal(modeOf(target), mode);
  });
