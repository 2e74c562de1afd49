/** What the installed command says of the Node that runs it. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { emptyFolder } from "./empty-folder.ts";
import { installedNode } from "./installed-node.ts";

const command = "node_modules/coxswain/bin/coxswain.mjs";

test("the installed command says nothing of its Node but that it is too old", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  folder.write("empty", "");

  await t.test("a Node that is too old is named, with what is needed", async (t) => {
    const version = (await folder.run("node", ["--version"])).stdout.trim().slice(1);
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > 22 || (major === 22 && minor >= 15)) return t.skip(`needs an older Node on the PATH than ${version}`);
    const { code, stdout, stderr } = await folder.run("node", [command, "--version"]);
    assert.deepEqual([code, stdout, stderr], [1, "", `coxswain needs Node 22.15 or newer, and this is Node ${version}.\n`]);
  });

  for (const line of ["22.15", 22, 24] as const)
    await t.test(`Node ${line} prints no warning of its own where state is kept`, async (t) => {
      const node = await installedNode(line);
      if ("missing" in node) return t.skip(node.missing);
      const data = join(folder.path, `data-${line}`);
      const options = ["--data-dir", data, "--port=0", "--apiserver-only", "--stop-on-stdin-close", "--log-level=warn"];
      const { code, stdout, stderr } = await folder.run("/bin/sh", ["-c", `"$0" ${command} "$@" < empty`, node.node, ...options]);
      assert.deepEqual([code, stderr], [0, ""], stdout);
      assert.ok(existsSync(join(data, "state.db")));
    });
});
