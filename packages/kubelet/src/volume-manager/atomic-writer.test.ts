import assert from "node:assert/strict";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { type Payload, writeAtomically } from "./atomic-writer.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const payload = (files: Readonly<Record<string, string>>): Payload =>
  new Map(Object.entries(files).map(([path, text]) => [path, { data: Buffer.from(text), mode: 0o644 }]));
const nothing = async () => undefined;

async function inDirectory(use: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), "atomic-"));
  try {
    await use(path);
  } finally {
    await rm(path, { recursive: true });
  }
}

/** What a container sees: everything but the writer's own. */
async function visible(path: string): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  const walk = async (part: string): Promise<void> => {
    for (const name of await readdir(join(path, part))) {
      if (part === "" && name.startsWith("..")) continue;
      const own = join(part, name);
      const text = await readFile(join(path, own), "utf8").catch(() => undefined);
      if (text === undefined) await walk(own);
      else seen[own] = text;
    }
  };
  await walk("");
  return seen;
}

test("files are links through one link that is replaced", () =>
  inDirectory(async (path) => {
    await writeAtomically(path, payload({ a: "1", "dir/b": "2" }), now, nothing);
    assert.equal(await readlink(join(path, "a")), "..data/a");
    assert.equal(await readlink(join(path, "dir")), "..data/dir");
    assert.match(await readlink(join(path, "..data")), /^\.\.2026_01_02_03_04_05\.\w+$/);
    assert.equal((await lstat(join(path, "..data", "a"))).mode & 0o777, 0o644);
  }));

test("what has not changed is not written again", () =>
  inDirectory(async (path) => {
    await writeAtomically(path, payload({ a: "1" }), now, nothing);
    const before = await readlink(join(path, "..data"));
    await writeAtomically(path, payload({ a: "1" }), now, nothing);
    assert.equal(await readlink(join(path, "..data")), before);
  }));

test("who holds the old directory open sees all of the old, others all of the new", () =>
  inDirectory(async (path) => {
    await writeAtomically(path, payload({ a: "1", b: "1" }), now, nothing);
    await writeAtomically(path, payload({ a: "2", b: "2" }), now, async () => {
      assert.deepEqual(await visible(path), { a: "1", b: "1" });
    });
    assert.deepEqual(await visible(path), { a: "2", b: "2" });
    assert.equal((await readdir(path)).filter((name) => name.startsWith("..2026")).length, 1);
  }));

test("what a writer has left that did not come to its end goes with the next change", () =>
  inDirectory(async (path) => {
    await writeAtomically(path, payload({ a: "1" }), now, nothing);
    await mkdir(join(path, "..2026_01_01_00_00_00.left"));
    await symlink("nowhere", join(path, "..data_tmp"));
    await writeAtomically(path, payload({ a: "2" }), now, nothing);
    assert.deepEqual(await visible(path), { a: "2" });
    assert.equal((await readdir(path)).length, 3);
  }));

const hostile = ["", "/a", "../a", "a/../../b", "..", "..data", "..data/a", "..x", `${"a".repeat(256)}`, "a/".repeat(2100)];
for (const path of hostile)
  test(`refuses ${JSON.stringify(path.slice(0, 20))}`, () =>
    inDirectory(async (directory) => {
      await assert.rejects(writeAtomically(directory, payload({ [path]: "1" }), now, nothing), /invalid path/);
      assert.deepEqual(await readdir(directory), []);
    }));

test("a failure on the way leaves what was there", () =>
  inDirectory(async (path) => {
    await writeAtomically(path, payload({ a: "1" }), now, nothing);
    const failing = writeAtomically(path, payload({ a: "2", c: "3" }), now, () => Promise.reject(new Error("no")));
    await assert.rejects(failing, /no/);
    assert.deepEqual(await visible(path), { a: "1" });
    assert.equal((await readdir(path)).length, 3);
  }));

test("any sequence of payloads shows the last one, and nothing else is left", async () => {
  const name = fc.constantFrom("a", "b", "c.txt", "d");
  const file = fc.tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.string({ maxLength: 4 }));
  /** No file may be another's directory. */
  const fits = (files: Readonly<Record<string, string>>): boolean =>
    Object.keys(files).every((one) => !Object.keys(files).some((other) => other.startsWith(`${one}/`)));
  const files = fc
    .array(file, { maxLength: 5 })
    .map((list) => Object.fromEntries(list.map(([parts, text]) => [parts.join("/"), text])))
    .filter(fits);
  const law = fc.asyncProperty(fc.array(files, { minLength: 1, maxLength: 4 }), (sequence) =>
    inDirectory(async (path) => {
      for (const one of sequence) await writeAtomically(path, payload(one), now, nothing);
      assert.deepEqual(await visible(path), { ...sequence.at(-1) });
      assert.equal((await readdir(path)).filter((entry) => entry.startsWith("..")).length, 2);
    }),
  );
  await fc.assert(law, { numRuns: 60 });
});
