/** The Go kit, from the module as it is published: an example project runs with it outside of this repository. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { goKit, goModuleDigest, packGoModule } from "../../scripts/build/kits/go-module.ts";
import { builtExecutable } from "./built-executable.ts";
import { compiles, goProject, withoutGo } from "./go-project.ts";
import { killWhenPrinted } from "./killed-run.ts";

const options = { skip: withoutGo, timeout: 12 * 60_000 };

test("the kit's own tests pass with the executable", options, async (t) => {
  const project = goProject(t, goKit, { COXSWAIN_EXECUTABLE: await builtExecutable(), GOFLAGS: "" });
  if (!(await compiles(t, project, join(project.temporary, "kit.test")))) return;
  const { code, stdout, stderr } = await project.go(["test", "-v", "-count=1", "./..."]);
  assert.equal(code, 0, stdout + stderr);
  assert.doesNotMatch(stdout, /--- SKIP/);
});

const hanging = `package sites

import (
	"fmt"
	"testing"

	"coxswain.dev/coxswain/coxswaintest"
)

func TestHangs(t *testing.T) {
	env := coxswaintest.New(t)
	fmt.Printf("kubeconfig=%s;\\n", env.Kubeconfig)
	select {}
}
`;

test("a project with controller-runtime runs with the packed module, and leaves nothing when it is killed", options, async (t) => {
  const { path, version } = packGoModule(`-test.${goModuleDigest()}`);
  const project = goProject(t, join(goKit, "example"), { COXSWAIN_EXECUTABLE: await builtExecutable() });
  writeFileSync(join(project.path, "hanging_test.go"), hanging);
  const { code, stderr } = await project.go(["mod", "edit", `-require=${path}@${version}`]);
  assert.equal(code, 0, stderr);
  const program = join(project.temporary, "example.test");
  if (!(await compiles(t, project, program))) return;
  assert.match(readFileSync(join(project.path, "go.sum"), "utf8"), new RegExp(`^${path} ${version} h1:`, "m"));

  const ran = await project.go(["test", "-v", "-count=1", "-run=^Test(ASite|TheSchema)", "."]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /^--- PASS: TestASiteGetsItsPods/m);
  assert.match(ran.stdout, /^--- PASS: TestTheSchemaRefusesTooManyReplicas/m);
  t.diagnostic(/coxswain \S+ with its definitions after \S+/.exec(ran.stdout)?.[0] ?? "no time was printed");

  const killed = {
    program,
    args: ["-test.run=TestHangs"],
    cwd: project.path,
    env: project.env,
    printed: /kubeconfig=.*;/,
    running: /--ephemeral/,
  };
  const output = await killWhenPrinted(killed, "--output=json");
  const kubeconfig = /kubeconfig=(.*);/.exec(output)?.[1] ?? "";
  assert.ok(kubeconfig.startsWith(project.temporary), kubeconfig);
  await waitUntil("the kubeconfig to be removed", () => !existsSync(kubeconfig));
  assert.deepEqual(
    readdirSync(project.temporary).filter((name) => name.startsWith("coxswain")),
    [],
  );
});
