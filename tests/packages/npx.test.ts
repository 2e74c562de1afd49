/** The command, where nothing but its package is installed, on every Node that the packages name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { findKubectls, runKubectl } from "../conformance/kubectl/kubectl.ts";
import { builtPackages } from "./built.ts";
import { emptyFolder } from "./empty-folder.ts";
import { startInstalled } from "./installed-command.ts";
import { installedNode, nodeLines } from "./installed-node.ts";

test("npx coxswain starts a cluster that kubectl uses, and stops", { timeout: hangMs }, async (t) => {
  const [kubectl] = findKubectls().slice(-1);
  const { packages } = await builtPackages();
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  for (const line of nodeLines)
    await t.test(`Node ${line}`, { skip: kubectl === undefined && "no kubectl here" }, async (t) => {
      const node = await installedNode(line);
      if ("missing" in node) return t.skip(node.missing);
      const version = await folder.run("npx", ["coxswain", "--version"], { node });
      assert.equal(version.stdout, `${packages.get("coxswain")?.version}\n`, version.stderr);
      await using command = await startInstalled(folder, ["--runtime=simulated"], node);
      const run = async (...args: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await runKubectl(kubectl!, args, { KUBECONFIG: command.kubeconfig });
        assert.equal(code, 0, stderr);
        return stdout.trim();
      };
      await waitUntil("a node that is ready", async () => /^\S+ +Ready /.test(await run("get", "nodes", "--no-headers")));
      assert.equal(await run("create", "deployment", "web", "--image=nginx", "--replicas=3"), "deployment.apps/web created");
      assert.match(await run("rollout", "status", "deployment/web"), /successfully rolled out$/);
      await command.stop();
      assert.notEqual((await runKubectl(kubectl!, ["get", "nodes"], { KUBECONFIG: command.kubeconfig })).code, 0);
    });
});
