/**
 * The code of the READMEs in a project that has the packages from npm: accepted by the compiler with the settings of an
 * older project, and doing what the page says, from JavaScript that tsc has made and as TypeScript where Node takes it.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { root } from "../../scripts/checks/tree.ts";
import { codeBlocks } from "../docs/code-blocks.ts";
import { type EmptyFolder, emptyFolder } from "./empty-folder.ts";
import { startInstalled } from "./installed-command.ts";
import { type InstalledNode, installedNode, type NodeLine, nodeLines, thisNode } from "./installed-node.ts";

interface Snippet {
  /** `client-13`: the page, and the line that it starts at. */
  readonly name: string;
  readonly code: string;
  readonly output: string | undefined;
}

const pages = ["README.md", ...globSync("packages/*/README.md", { cwd: root }).sort()];
const snippets: readonly Snippet[] = pages.flatMap((page) =>
  codeBlocks(readFileSync(join(root, page), "utf8")).map(({ line, code, output }) => ({
    name: `${page.split("/").at(-2) ?? "readme"}-${line}`,
    code: `${code}\nexport {};\n`,
    output,
  })),
);

/** What a project says that has not been changed for some years. */
const older = { target: "es2022", strict: true, skipLibCheck: false, types: ["node"], rewriteRelativeImportExtensions: true };
const node26Types = { "@types/node": "26.6.6" };

test("the READMEs' code in a project of its own", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"], others: node26Types });
  for (const { name, code } of snippets) folder.write(`${name}.ts`, code);

  await t.test("is accepted with module nodenext, as JavaScript for ES2022", async () => {
    assert.deepEqual(await compile(folder, { ...older, module: "nodenext", outDir: "compiled" }), []);
  });
  await t.test("is accepted with moduleResolution bundler", async () => {
    const options = { ...older, module: "esnext", moduleResolution: "bundler", noEmit: true };
    assert.deepEqual(await compile(folder, options), []);
  });

  await using command = await startInstalled(folder, ["--apiserver-only"], thisNode());
  for (const line of nodeLines)
    await t.test(`runs as JavaScript on Node ${line}`, (t) => runAll(t, line, (snippet) => [snippet, `compiled/${snippet.name}.js`]));
  await t.test("runs as TypeScript on Node 22, but for `using`", (t) =>
    runAll(t, 22, (snippet) => (/\busing\b/.test(snippet.code) ? undefined : [snippet, `${snippet.name}.ts`])),
  );
  for (const line of [24, 26] as const)
    await t.test(`runs as TypeScript on Node ${line}`, (t) => runAll(t, line, (snippet) => [snippet, `${snippet.name}.ts`]));

  async function runAll(
    t: { skip(reason: string): void },
    line: NodeLine,
    programOf: (snippet: Snippet) => [Snippet, string] | undefined,
  ): Promise<void> {
    const node = await installedNode(line);
    if ("missing" in node) return t.skip(node.missing);
    const waiting = snippets.map(programOf).filter((program) => program !== undefined);
    assert.ok(waiting.length > 0);
    const next = async (): Promise<void> => {
      for (let program = waiting.pop(); program !== undefined; program = waiting.pop()) await runOne(node, ...program);
    };
    await Promise.all(Array.from({ length: availableParallelism() }, next));
  }

  async function runOne(node: InstalledNode, { name, output }: Snippet, file: string): Promise<void> {
    const { code, stdout, stderr } = await folder.run(node.node, [file], { env: { KUBECONFIG: command.kubeconfig } });
    assert.equal(code, 0, `${name} on Node ${node.version}:\n${stderr}`);
    if (output !== undefined) assert.equal(stdout, output, name);
  }
});

/** Machinery and the client without Node: their declarations name nothing of it. */
test("the client and machinery compile without the types of Node", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["@coxswain/client"] });
  const names = ["@coxswain/client", "@coxswain/machinery", "@coxswain/machinery/testing", "@coxswain/types", "@coxswain/types/core-v1"];
  folder.write("all.ts", names.map((name, i) => `export type * as name${i} from "${name}";\n`).join(""));
  const options = { ...older, types: [], noEmit: true };
  assert.deepEqual(await compile(folder, { ...options, module: "nodenext" }), []);
  assert.deepEqual(await compile(folder, { ...options, module: "esnext", moduleResolution: "bundler" }), []);
});

test("a test of a controller makes the compiler read less of ours than of the language and Node", { timeout: hangMs }, async (t) => {
  const folder = await emptyFolder(t, { packages: ["coxswain"], others: node26Types });
  folder.write("a.ts", 'import "@coxswain/client/node";\nimport { startCluster } from "coxswain/testing";\nawait startCluster();\n');
  folder.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...older, module: "nodenext", noEmit: true } }));
  const { code, stdout } = await folder.run(join(root, "node_modules/.bin/tsc"), ["-p", ".", "--listFiles"]);
  assert.equal(code, 0, stdout);
  const lines = { ours: 0, others: 0 };
  for (const file of stdout.trim().split("\n"))
    lines[/\/node_modules\/@?coxswain\//.test(file) ? "ours" : "others"] += readFileSync(file, "utf8").split("\n").length;
  t.diagnostic(JSON.stringify(lines));
  assert.ok(lines.ours < lines.others / 2, JSON.stringify(lines));
});

/** Returns what the compiler complains of. */
async function compile(folder: EmptyFolder, compilerOptions: object): Promise<string[]> {
  folder.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const { code, stdout, stderr } = await folder.run(join(root, "node_modules/.bin/tsc"), ["-p", "."]);
  return code === 0 ? [] : `${stdout}${stderr}`.trim().split("\n");
}
