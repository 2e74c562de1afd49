/** `coxswain/testing` in projects of node:test, Vitest and Jest, with their own time limits, in several processes at once. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { root } from "../../scripts/checks/tree.ts";
import { installedFromNpm } from "../conformance/client-program.ts";
import { type EmptyFolder, emptyFolder } from "./empty-folder.ts";
import { type InstalledNode, installedNode, type NodeLine, nodeLines } from "./installed-node.ts";

interface Runner {
  readonly name: string;
  readonly nodes: readonly NodeLine[];
  /** A folder beside this file with its package.json; undefined for what Node brings. */
  readonly tool?: "jest" | "vitest";
  readonly manifest: object;
  /** What stands in the project, and where it comes from. */
  readonly files: Readonly<Record<string, string>>;
  /** `tool`: the folder of the program. */
  readonly command: (tool: string) => readonly string[];
  /** How many tests pass, from the report that it leaves or prints. */
  readonly passed: (project: string, stdout: string) => number;
  readonly tests: number;
}

/** Vitest and Jest write the same. */
const reported = (path: string): number => {
  const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(join(path, "report.json"), "utf8"));
  assert.equal(numPassedTests, numTotalTests);
  return numPassedTests;
};

const jestFiles = (source: string, extension: string): Record<string, string> => ({
  [`first.spec.${extension}`]: source,
  [`second.spec.${extension}`]: source,
});
const jest = (tool: string): readonly string[] => [
  "--experimental-vm-modules",
  join(tool, "node_modules/jest/bin/jest.js"),
  "--maxWorkers=2",
  "--json",
  "--outputFile=report.json",
];

const runners: readonly Runner[] = [
  {
    name: "node:test",
    nodes: [22, 24, 26],
    manifest: {},
    files: { "first.test.ts": "tests/packages/node-test/rollout.spec.ts", "second.test.ts": "tests/packages/node-test/rollout.spec.ts" },
    command: () => ["--test", "--test-reporter=tap"],
    passed: (_project, stdout) => Number(/^# pass (\d+)$/m.exec(stdout)?.[1]),
    tests: 6,
  },
  {
    name: "Vitest",
    nodes: [22, 26],
    tool: "vitest",
    manifest: {},
    files: {
      "mirror.spec.ts": "examples/08-test-with-vitest.spec.ts",
      "first.spec.ts": "tests/packages/vitest/rollout.spec.ts",
      "second.spec.ts": "tests/packages/vitest/rollout.spec.ts",
      "matchers.spec.ts": "tests/packages/vitest/matchers.spec.ts",
    },
    command: (tool) => [join(tool, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json", "--outputFile=report.json"],
    passed: reported,
    tests: 17,
  },
  {
    name: "Jest with ES modules",
    nodes: [22, 26],
    tool: "jest",
    manifest: { jest: { transform: {} } },
    files: {
      ...jestFiles("tests/packages/jest/esm/rollout.spec.js", "js"),
      "matchers.spec.js": "tests/packages/jest/esm/matchers.spec.js",
    },
    command: jest,
    passed: reported,
    tests: 12,
  },
  {
    // Below Node 24.9 Jest cannot require an ES module.
    name: "Jest with CommonJS",
    nodes: [24, 26],
    tool: "jest",
    manifest: { type: "commonjs", jest: { transform: {}, moduleFileExtensions: ["js", "cjs", "json"], testMatch: ["**/*.spec.cjs"] } },
    files: jestFiles("tests/packages/jest/commonjs/rollout.spec.cjs", "cjs"),
    command: jest,
    passed: reported,
    tests: 6,
  },
];

test("coxswain/testing in the runners of tests", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  for (const runner of runners)
    for (const line of runner.nodes)
      await t.test(`${runner.name} on Node ${line}`, async (t) => {
        const node = await installedNode(line);
        if ("missing" in node) return t.skip(node.missing);
        const tool =
          runner.tool === undefined ? { folder: "" } : await installedFromNpm(runner.tool, join(import.meta.dirname, runner.tool));
        if ("missing" in tool) return t.skip(tool.missing);
        await runProject(runner, { folder, node, tool: tool.folder });
      });
});

test("CommonJS requires the packages", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  folder.write(
    "main.cjs",
    'console.log(typeof require("coxswain/testing").startCluster, typeof require("@coxswain/client/node").loadKubeconfig);',
  );
  for (const line of nodeLines)
    await t.test(`Node ${line}`, async (t) => {
      const node = await installedNode(line);
      if ("missing" in node) return t.skip(node.missing);
      const { stdout, stderr } = await folder.run(node.node, ["main.cjs"]);
      assert.equal(stdout, "function function\n", stderr);
    });
});

interface Surroundings {
  /** With the packages; projects stand below it. */
  readonly folder: EmptyFolder;
  readonly node: InstalledNode;
  readonly tool: string;
}

async function runProject(runner: Runner, { folder, node, tool }: Surroundings): Promise<void> {
  const project = `${runner.name.replace(/\W+/g, "-")}-${node.version}`;
  folder.write(join(project, "package.json"), JSON.stringify({ name: "project", private: true, type: "module", ...runner.manifest }));
  for (const [file, source] of Object.entries(runner.files)) folder.write(join(project, file), readFileSync(join(root, source), "utf8"));
  const cwd = join(folder.path, project);
  if (runner.tool !== undefined) {
    // Beside the packages, which import it too.
    const link = join(folder.path, "node_modules", runner.tool);
    if (!existsSync(link)) symlinkSync(join(tool, "node_modules", runner.tool), link);
  }
  const { code, stdout, stderr } = await folder.run(node.node, runner.command(tool), { node, cwd });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.equal(runner.passed(cwd, stdout), runner.tests);
  // Only a store on disk needs it.
  assert.doesNotMatch(stderr, /SQLite is an experimental feature/);
}
