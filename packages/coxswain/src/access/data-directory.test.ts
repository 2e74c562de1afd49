import assert from "node:assert/strict";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { StartError } from "../process/start-error.ts";
import { dataDirectoryError, prepareDataDirectory } from "./data-directory.ts";

function folder(t: TestContext, ...files: readonly string[]): string {
  const path = mkdtempSync(join(tmpdir(), "coxswain-"));
  t.after(() => rmSync(path, { recursive: true }));
  mkdirSync(join(path, "data"));
  for (const file of files) writeFileSync(join(path, "data", file), "");
  return join(path, "data");
}

const taken = [
  { name: "an empty folder", files: [] },
  { name: "what a start has left that failed", files: ["admin-token", "kubeconfig"] },
  { name: "the root of a file system", files: ["lost+found"] },
  { name: "the home of the user that runs it", files: [".local"] },
  { name: "its own folder whose state is in etcd", files: ["history.db", "history.db-wal", "invariants.json", "kubeconfig", "pki"] },
  { name: "its own folder with a note of somebody", files: ["state.db", "state.db-wal", "NOTE"] },
];
for (const { name, files } of taken) test(`data directory: takes ${name}`, (t) => prepareDataDirectory(folder(t, ...files)));

test("data directory: makes each folder on the way", (t) => {
  const path = join(folder(t), "a", "b");
  prepareDataDirectory(path);
  assert.ok(existsSync(path));
});

const refused = [
  {
    name: "foreign files",
    path: "",
    files: ["c", "a", "d", "b"],
    says: /data has files that are not coxswain's \(a, b, c, …\); choose an empty folder, or one that coxswain has used$/,
  },
  { name: "a file", path: "file", files: ["file"], says: /\/file cannot be used: \S+\/file is a file$/ },
  { name: "a folder below a file", path: "file/a", files: ["file"], says: /\/file\/a cannot be used: \S+\/file is a file$/ },
];
for (const { name, path, files, says } of refused)
  test(`data directory: refuses ${name}`, (t) => {
    const data = folder(t, ...files);
    assert.throws(
      () => prepareDataDirectory(join(data, path)),
      (error) => error instanceof StartError && says.test(error.message),
    );
  });

const asRoot = { skip: process.getuid?.() !== 0 && "only root can give files away" };

test("data directory: refuses what every user may write to, unless it is sticky", { skip: process.platform === "win32" }, (t) => {
  const path = folder(t);
  chmodSync(path, 0o777);
  assert.throws(() => prepareDataDirectory(path), /cannot be used: every user may write to it/);
  chmodSync(path, 0o1777);
  prepareDataDirectory(path);
});

test("data directory: refuses what another user owns, whole or in part", asRoot, (t) => {
  const path = folder(t, "state.db");
  chownSync(join(path, "state.db"), 1, 1);
  assert.throws(() => prepareDataDirectory(path), /cannot be used: another user owns state\.db in it/);
  chownSync(join(path, "state.db"), 0, 0);
  chownSync(path, 1, 1);
  assert.throws(() => prepareDataDirectory(path), /cannot be used: another user owns it/);
});

test("data directory: refuses a file system that takes no folders", { skip: process.platform !== "linux" }, () =>
  assert.throws(
    () => prepareDataDirectory("/proc/foo"),
    /^StartError: the data directory \/proc\/foo cannot be used: its file system takes no new folders$/,
  ),
);

const systemError = (code: string): Error => Object.assign(new Error(`${code}: something`), { code, syscall: "open" });
const reasons = [
  { code: "EACCES", reason: "this user may not write there" },
  { code: "EROFS", reason: "its file system is read-only" },
  { code: "ENOSPC", reason: "the disk is full" },
  { code: "EIO", reason: "EIO: something" },
];
for (const { code, reason } of reasons)
  test(`data directory: ${code} is told as: ${reason}`, () =>
    assert.equal(String(dataDirectoryError("/d", systemError(code))), `StartError: the data directory /d cannot be used: ${reason}`));

test("data directory: an error that is none of the system stays what it is", () => {
  const error = new Error("x");
  assert.equal(dataDirectoryError("/d", error), error);
});
