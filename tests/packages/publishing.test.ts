/** What publishes and what judges packages accepts all of ours. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { root } from "../../scripts/checks/tree.ts";
import { installedFromNpm, run } from "../conformance/client-program.ts";
import { builtPackages } from "./built.ts";
import { strangersEnvironment } from "./empty-folder.ts";

const options = { cwd: root, env: strangersEnvironment(), timeoutMs: hangMs };

test("npm would publish every package", { timeout: hangMs }, async () => {
  const { packages } = await builtPackages();
  const { code, stdout, stderr } = await run(process.execPath, ["scripts/publish.ts", "--dry-run"], options);
  assert.equal(code, 0, stderr);
  const published = stdout.trim().split("\n");
  assert.deepEqual(
    published,
    Array.from(packages.values(), ({ name, version }) => `+ ${name}@${version}`),
  );
  // Nobody is logged in where tests run.
  const warnings = stderr
    .split("\n")
    .filter((line) => line.startsWith("npm warn publish ") && !line.includes("requires you to be logged in"));
  assert.deepEqual(warnings, []);
});

test("npm is not asked to publish what names no repository", { timeout: hangMs }, async () => {
  await builtPackages();
  const { code, stdout, stderr } = await run(process.execPath, ["scripts/publish.ts"], options);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
  assert.match(stderr, /^the packages do not name a repository/m);
});

test("publint and are-the-types-wrong find nothing", { timeout: hangMs }, async (t) => {
  const tools = await installedFromNpm("package-tools", join(import.meta.dirname, "tools"));
  if ("missing" in tools) return t.skip(tools.missing);
  const bin = (name: string): string => join(tools.folder, "node_modules/.bin", name);
  const { packages } = await builtPackages();
  for (const { name, folder, tarball } of packages.values())
    await t.test(name, async () => {
      const [publint, types] = await Promise.all([
        run(process.execPath, [bin("publint"), folder, "--strict", "--pack", "false"], options),
        run(process.execPath, [bin("attw"), tarball, "--profile", "esm-only", "--format", "ascii", "--no-color"], options),
      ]);
      assert.equal(publint.code, 0, publint.stdout + publint.stderr);
      assert.match(publint.stdout, /All good!/);
      assert.equal(types.code, 0, types.stdout + types.stderr);
    });
});
