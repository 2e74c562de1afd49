/** What the command says of a folder for its state that it cannot use: one sentence, no stack. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Home, home } from "./command-program.ts";

async function refusedWith({ run }: Home, dataDir: string, says: RegExp): Promise<void> {
  const { code, stdout, stderr } = await run("--port=0", "--apiserver-only", "--data-dir", dataDir);
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(stderr, says);
  assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
}

test("a folder with foreign files, a file, and a file system without folders are refused", async (t) => {
  const of = home(t);
  mkdirSync(join(of.path, "documents"));
  writeFileSync(join(of.path, "documents", "letter"), "");
  await refusedWith(
    of,
    join(of.path, "documents"),
    /^coxswain: the data directory \S+ has files that are not coxswain's \(letter\); choose an empty folder/,
  );
  await refusedWith(of, join(of.path, "documents", "letter"), /^coxswain: the data directory \S+ cannot be used: \S+letter is a file\n$/);
  if (process.platform === "linux")
    await refusedWith(of, "/proc/foo", /\/proc\/foo cannot be used: its file system takes no new folders\n$/);
});

test("a folder that others own is refused", { skip: process.getuid?.() === 0 && "root may write everywhere" }, (t) =>
  refusedWith(
    home(t),
    "/coxswain",
    /^coxswain: the data directory \/coxswain cannot be used: (?:this user may not write there|its file system is read-only)\n$/,
  ),
);

/** Undefined where this user may not mount. */
function mounted(t: TestContext, options: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-mount-"));
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  t.after(() => {
    if (mount.status === 0) execFileSync("umount", ["-l", folder]);
    rmdirSync(folder);
  });
  return mount.status === 0 ? folder : undefined;
}

const full =
  /^coxswain: (?:the data directory \S+ cannot be used: the disk is full|the disk with \S+state\.db is full: nothing was written; free some space and writes work again)\n$/;
for (const size of ["4k", "16k", "40k", "80k"])
  test(`a first start on a disk that has ${size} is refused`, async (t) => {
    const folder = mounted(t, `size=${size}`);
    if (folder === undefined) return t.skip("needs the right to mount");
    await refusedWith(home(t), join(folder, "data"), full);
  });

test("a folder of a file system that is read-only is refused", async (t) => {
  const folder = mounted(t, "ro");
  if (folder === undefined) return t.skip("needs the right to mount");
  await refusedWith(home(t), join(folder, "data"), /cannot be used: its file system is read-only\n$/);
  await refusedWith(home(t), folder, /read-only/);
});
