/** The command, where nothing but its package is installed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyFolder } from "./empty-folder.ts";
import { installedNode, nodeLines } from "./installed-node.ts";

test("npx coxswain --version answers on every Node that the packages name", { timeout: 10 * 60_000 }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  for (const line of nodeLines)
    await t.test(`Node ${line}`, async (t) => {
      const node = await installedNode(line);
      if ("missing" in node) return t.skip(node.missing);
      const { code, stdout, stderr } = await folder.run("npx", ["coxswain", "--version"], { node });
      assert.deepEqual({ code, stdout }, { code: 0, stdout: "0.1.0\n" }, stderr);
    });
});
