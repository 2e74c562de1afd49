/** Suites that are written for envtest run as they are, with the programs that `coxswain envtest-assets` has written. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { goKit } from "../../scripts/build/kits/go-module.ts";
import { run } from "../conformance/client-program.ts";
import { builtExecutable } from "./built-executable.ts";
import { emptyFolder, strangersEnvironment } from "./empty-folder.ts";
import { compiles, goProject, withoutGo } from "./go-project.ts";
import { installedNode } from "./installed-node.ts";
import { killWhenPrinted } from "./killed-run.ts";

const options = { skip: withoutGo, timeout: 12 * 60_000 };
const suite = join(goKit, "envtest-example");
const folder = "./internal/controller";

/** The folder for KUBEBUILDER_ASSETS, written by the single executable. */
async function assetsOfExecutable(cache: string): Promise<string> {
  const env = { ...strangersEnvironment(), XDG_CACHE_HOME: cache };
  const { code, stdout, stderr } = await run(await builtExecutable(), ["envtest-assets"], { env, timeoutMs: 60_000 });
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith(cache), stdout);
  return stdout.trim();
}

/** The same, written by the command that npm has installed. */
async function assetsFromNpm(t: TestContext): Promise<string | undefined> {
  const node = await installedNode(24);
  if ("missing" in node) {
    t.diagnostic(node.missing);
    return undefined;
  }
  const empty = await emptyFolder(t, { packages: ["coxswain"] });
  const { code, stdout, stderr } = await empty.run("npx", ["coxswain", "envtest-assets", "assets"], { node });
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trim(), join(empty.path, "assets"));
  return stdout.trim();
}

/** What envtest makes and should take away; the certificates of webhooks stay behind when its own process is killed. */
const leftBehind = (temporary: string): string[] => readdirSync(temporary).filter((name) => /^(k8s_test_framework_|coxswain-)/.test(name));

const hanging = `package controller

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
)

var _ = Describe("A run that is killed", func() {
	It("hangs", func() {
		fmt.Println("hanging")
		select {}
	})
})
`;

test(
  "a kubebuilder project's suite runs with the executable's programs and npm's, and leaves nothing when it is killed",
  options,
  async (t) => {
    const project = goProject(t, suite);
    writeFileSync(join(project.path, folder, "hanging_test.go"), hanging);
    const program = join(project.temporary, "controller.test");
    if (!(await compiles(t, project, program, folder))) return;
    const executable = await assetsOfExecutable(project.temporary);
    const npm = await assetsFromNpm(t);
    const cwd = join(project.path, folder);
    for (const assets of [executable, ...(npm === undefined ? [] : [npm])]) {
      const env = { ...project.env, KUBEBUILDER_ASSETS: assets };
      const { code, stdout, stderr } = await run(program, ["-ginkgo.v", "-ginkgo.skip=hangs"], { cwd, env, timeoutMs: 5 * 60_000 });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /\D5 Passed\D/);
      t.diagnostic(/"envtest started" "after"="[^"]*"/.exec(stdout + stderr)?.[0] ?? "no time was printed");
      assert.deepEqual(leftBehind(project.temporary), []);
    }
    const env = { ...project.env, KUBEBUILDER_ASSETS: executable };
    const args = ["-ginkgo.focus=hangs"];
    await killWhenPrinted({ program, args, cwd, env, printed: /hanging/, running: /kube-apiserver/ }, `${project.temporary}/k8s_test`);
    await waitUntil("the folders of envtest to be removed", () => leftBehind(project.temporary).length === 0);
  },
);

test("a suite with the envtest of controller-runtime 0.14 runs, with flags of its own and kubectl", options, async (t) => {
  const project = goProject(t, join(import.meta.dirname, "envtest-0.14"));
  const program = join(project.temporary, "old.test");
  if (!(await compiles(t, project, program))) return;
  const env = { ...project.env, KUBEBUILDER_ASSETS: await assetsOfExecutable(project.temporary) };
  const { code, stdout, stderr } = await run(program, ["-test.v"], { cwd: project.path, env, timeoutMs: 5 * 60_000 });
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /^--- PASS: TestEnvironment/m);
  assert.deepEqual(leftBehind(project.temporary), []);
});
