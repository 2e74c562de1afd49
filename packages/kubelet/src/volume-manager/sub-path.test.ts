import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { mounterOfThisProcess } from "./mounter.ts";
import { prepareSubPath } from "./sub-path.ts";

const mounter = mounterOfThisProcess();
const needsMounts = mounter === undefined ? "this process may not mount" : false;

test("a part of a volume cannot lead out of it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "part-"));
  const volumePath = join(directory, "volume");
  await mkdir(join(volumePath, "inner"), { recursive: true });
  await mkdir(join(directory, "outside"));
  await symlink("../outside", join(volumePath, "out"));
  await symlink("inner", join(volumePath, "in"));
  const prepare = (subPath: string) => prepareSubPath({ volumePath, subPath, target: join(directory, "target", "0") }, undefined);
  assert.equal(await prepare("in"), join(volumePath, "inner"));
  assert.equal(await prepare("new/deep"), join(volumePath, "new/deep"));
  for (const path of ["out", "out/x", "../outside", "inner/../../outside"]) await assert.rejects(prepare(path), /leads out of its volume/);
  await rm(directory, { recursive: true });
});

test("a part of a volume stays what it was when it was mounted", { skip: needsMounts }, async () => {
  const directory = await mkdtemp(join(tmpdir(), "part-"));
  const volumePath = join(directory, "volume");
  const target = join(directory, "target", "0");
  await mkdir(volumePath);
  await writeFile(join(volumePath, "file"), "first");
  const prepare = () => prepareSubPath({ volumePath, subPath: "file", target }, mounter);
  assert.equal(await prepare(), target);
  assert.equal(await prepare(), target);
  assert.deepEqual(await mounter?.mountsBelow(directory), [target]);
  await rm(join(volumePath, "file"));
  await writeFile(join(volumePath, "file"), "second");
  assert.equal(await readFile(target, "utf8"), "first");
  await prepare();
  assert.equal(await readFile(target, "utf8"), "second");
  await mounter?.unmount(target);
  await rm(directory, { recursive: true });
});
