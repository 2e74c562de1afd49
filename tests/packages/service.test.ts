/** The unit for systemd, as far as it can be judged where systemd does not run. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { root } from "../../scripts/checks/tree.ts";
import { run } from "../conformance/client-program.ts";
import { binary } from "../kubelet/containerd/why-no-containers.ts";

const skip = binary("systemd-analyze") === undefined ? "not installed: systemd" : false;
const timeoutMs = 60_000;

/** Its programs have to be there to be accepted: the Node that runs this stands for the command. */
function unitFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-unit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "coxswain.service");
  const text = readFileSync(join(root, "deploy/systemd/coxswain.service"), "utf8");
  writeFileSync(file, text.replaceAll("/usr/local/bin/coxswain", process.execPath));
  return file;
}

test("systemd accepts the unit", { skip }, async (t) => {
  assert.deepEqual(await run("systemd-analyze", ["verify", "--man=no", unitFile(t)], { timeoutMs }), { code: 0, stdout: "", stderr: "" });
});

test("what the service could do to the machine is little", { skip }, async (t) => {
  const args = ["security", "--offline=true", "--threshold=20", "--no-pager", unitFile(t)];
  const { code, stdout, stderr } = await run("systemd-analyze", args, { timeoutMs });
  assert.equal(code, 0, stdout + stderr);
});
