import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checkDocs, documentedExports } from "./docs.ts";
import { openVirtualProgram } from "./program.ts";

const program = openVirtualProgram({
  "index.ts": `export { listPods, Pods as PodList, type Options } from "./pods.ts";
export * from "./limits.ts";
export { foreign } from "./elsewhere/foreign.ts";
export default function none() {}`,
  "pods.ts": `/** Lists the Pods of a namespace. */
export function listPods() {}
export class Pods { /** Counts the Pods here. */ count = 1; }
// Not a doc comment, though a sentence.
export interface Options {}
/** Not exported by the package. */
export const other = 1;`,
  "limits.ts": "/** Milliseconds. */\nexport const limitMs = 1;\n/** How many Pods a node takes. */\nexport const maxPods = 1;",
  "elsewhere/foreign.ts": "export const foreign = 1;",
});
after(() => program[Symbol.dispose]());

test("docs: each export of an entry point wants a sentence above its declaration", () => {
  const entry = program.sourceFile("index.ts");
  assert.ok(entry);
  const pathOf = (fileName: string): string | undefined => (fileName.includes("elsewhere") ? undefined : fileName.replace(/^\//, ""));
  const exported = documentedExports(entry, { checker: program.checker, pathOf });
  assert.deepEqual(exported.map(({ name }) => name).sort(), ["Options", "PodList", "default", "limitMs", "listPods", "maxPods"]);
  assert.deepEqual(
    checkDocs(exported)
      .map(({ file, line, message }) => `${file}:${line} ${message}`)
      .sort(),
    [
      "index.ts:4 default has no doc comment with a sentence",
      "limits.ts:2 limitMs has no doc comment with a sentence",
      "pods.ts:3 PodList has no doc comment with a sentence",
      "pods.ts:5 Options has no doc comment with a sentence",
    ],
  );
});
