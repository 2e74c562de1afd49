import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeAssets } from "./assets.ts";
import { parentVariable, removeFolderOfEnvtest } from "./end-with-parent.ts";

function temporary(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("assets: each is a program that becomes this command, whatever is in its path, and knows who started it", (t) => {
  const dir = join(temporary(t), "it's here");
  const script = `console.log(JSON.stringify([Number(process.env.${parentVariable}) === process.ppid, ...process.argv.slice(1)]))`;
  writeAssets(dir, [process.execPath, "-e", script, "--"], undefined);
  const run = (program: string) => JSON.parse(execFileSync(join(dir, program), ["--a=b c", "d"], { encoding: "utf8" })) as unknown;
  assert.deepEqual(run("etcd"), [true, "etcd", "--a=b c", "d"]);
  assert.deepEqual(run("kube-apiserver"), [true, "kube-apiserver", "--a=b c", "d"]);
});

test("assets: kubectl is a link to the one on the PATH, and one that is there stays", (t) => {
  const dir = temporary(t);
  const [bin, assets] = [join(dir, "bin"), join(dir, "assets")];
  mkdirSync(bin);
  assert.deepEqual(writeAssets(assets, ["node"], bin), { kubectl: undefined });
  const kubectl = join(bin, "kubectl");
  writeFileSync(kubectl, "#!/bin/sh\n", { mode: 0o755 });
  assert.deepEqual(writeAssets(assets, ["node"], `relative:${bin}`), { kubectl });
  assert.equal(readlinkSync(join(assets, "kubectl")), kubectl);
  assert.deepEqual(writeAssets(assets, ["node"], undefined), { kubectl: join(assets, "kubectl") });
});

test("assets: programs of others stay", (t) => {
  const dir = temporary(t);
  writeFileSync(join(dir, "etcd"), "ELF");
  const message = `${join(dir, "etcd")} exists and coxswain did not write it; name another folder`;
  assert.throws(() => writeAssets(dir, ["node"], undefined), { name: "StartError", message });
});

test("assets: a folder that envtest made goes, one that a user has named stays", () => {
  const folders = ["k8s_test_framework_123", "own-certs"].map((name) => mkdtempSync(join(tmpdir(), name)));
  const nested = join(folders[1] ?? "", "k8s_test_framework_1");
  mkdirSync(nested);
  for (const folder of [...folders, nested, undefined]) removeFolderOfEnvtest(folder);
  assert.throws(() => readlinkSync(folders[0] ?? ""), { code: "ENOENT" });
  assert.throws(() => readlinkSync(nested), { code: "EINVAL" });
  rmSync(folders[1] ?? "", { recursive: true });
});
