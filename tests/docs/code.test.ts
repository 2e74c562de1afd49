/** All TypeScript in the documentation is checked by the compiler, runs, and prints what its page says. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { after, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { startCluster } from "coxswain/testing";
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";

const root = join(import.meta.dirname, "..", "..");
// Inside the repository, so that imports find its packages.
mkdirSync(join(root, ".cache"), { recursive: true });
const folder = mkdtempSync(join(root, ".cache", "docs-"));
after(() => rmSync(folder, { recursive: true, force: true }));
// For programs that talk to whatever cluster kubectl would.
const cluster = await startCluster({ listen: true });
after(() => cluster[Symbol.asyncDispose]());
const { kubeconfig } = await cluster.listen();

interface Program extends CodeBlock {
  readonly name: string;
  readonly path: string;
}

const readmes = ["README.md", ...globSync("packages/*/README.md", { cwd: root }).sort()].map((file) => join(root, file));
const pages = [...["concepts", "howto", "tutorials"].flatMap((part) => markdownIn(join(root, "docs", part))), ...readmes];
const programs = pages.flatMap(programsOf);

function markdownIn(part: string): string[] {
  return readdirSync(part)
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(part, file));
}

/** Blocks of one name are one file, in the order of the page. */
function programsOf(page: string): Program[] {
  const title = relative(root, page).replace(/\.md$/, "");
  const byFile = Map.groupBy(codeBlocks(readFileSync(page, "utf8")), ({ file, line }) => file ?? `line-${line}.ts`);
  return Array.from(byFile, ([file, blocks]) => {
    const path = join(folder, title, file);
    mkdirSync(join(folder, title), { recursive: true });
    const code = blocks.map((block) => block.code).join("\n");
    writeFileSync(path, `${code}\nexport {};\n`);
    const [first, last] = [blocks[0], blocks.at(-1)];
    assert.ok(first && last);
    return {
      ...last,
      line: first.line,
      code,
      path,
      name: `${title}.md, line ${first.line}${first.file === undefined ? "" : ` (${file})`}`,
    };
  });
}

test("the documentation has code", () => assert.ok(programs.length > 0));

test("the compiler accepts all of it", { timeout: hangMs }, async () => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../../tsconfig.base.json", include: ["**/*.ts"] }));
  const { text } = await run([join(root, "node_modules", ".bin", "tsc"), "-p", folder]);
  // Its imports are for other checks.
  assert.deepEqual(
    text.split("\n").filter((line) => line.includes("error") && line.includes(basename(folder))),
    [],
  );
});

for (const program of programs) {
  test(`${program.name} runs`, { timeout: hangMs }, async () => {
    const args = program.path.endsWith(".test.ts") ? ["--test", program.path] : [program.path];
    const { code, text, printed } = await run([process.execPath, ...args], program.until);
    assert.equal(code, 0, text);
    if (program.output !== undefined) assert.equal(printed, program.output);
  });
}

async function run([command = "", ...args]: readonly string[], until?: string) {
  const child = spawn(command, args, { env: { ...process.env, KUBECONFIG: kubeconfig, NODE_TEST_CONTEXT: undefined } });
  let [printed, text] = ["", ""];
  child.stdout.on("data", (chunk) => {
    printed += chunk;
    text += chunk;
    if (until !== undefined && !child.killed && printed.includes(until)) child.kill("SIGTERM");
  });
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, text, printed };
}
