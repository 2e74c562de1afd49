import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkHostPath } from "./host-path.ts";

const types = ["Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"];

test("paths of the node must be what they are said to be", async () => {
  const directory = await mkdtemp(join(tmpdir(), "host-"));
  await mkdir(join(directory, "dir"));
  await writeFile(join(directory, "file"), "");
  const server = createServer().listen(join(directory, "socket"));
  const there = { dir: ["Directory", "DirectoryOrCreate"], file: ["File", "FileOrCreate"], socket: ["Socket"], null: ["CharDevice"] };
  for (const [name, fitting] of Object.entries(there)) {
    const path = name === "null" ? "/dev/null" : join(directory, name);
    for (const type of types) {
      if (fitting.includes(type)) await checkHostPath(path, type);
      else await assert.rejects(checkHostPath(path, type), /hostPath type check failed/);
    }
  }
  server.close();
  await rm(directory, { recursive: true });
});

test("what is to be made is made, nothing else, and nothing at a place beyond", async () => {
  const directory = await mkdtemp(join(tmpdir(), "host-"));
  await checkHostPath(join(directory, "a/b"), "DirectoryOrCreate");
  await checkHostPath(join(directory, "file"), "FileOrCreate");
  await checkHostPath(join(directory, "whatever"), "");
  assert.ok((await stat(join(directory, "a/b"))).isDirectory());
  assert.ok((await stat(join(directory, "file"))).isFile());
  await assert.rejects(stat(join(directory, "whatever")), { code: "ENOENT" });
  await assert.rejects(checkHostPath(`${directory}/../x`, ""), /must not contain '\.\.'/);
  await assert.rejects(checkHostPath(directory, "Other"), { message: "Other is an invalid volume type" });
  await rm(directory, { recursive: true });
});
