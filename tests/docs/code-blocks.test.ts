import assert from "node:assert/strict";
import { test } from "node:test";
import { codeBlocks } from "./code-blocks.ts";

const fence = "```";
const page = `# Title

${fence}ts
one();
${fence}

${fence}text
1
${fence}

Some words.

${fence}yaml
no: code
${fence}

${fence}ts main.ts until=ready
two();
${fence}

Words in between.

${fence}text
not its output
${fence}
`;

test("blocks of TypeScript, with what the page says of them", () => {
  assert.deepEqual(codeBlocks(page), [
    { line: 4, file: undefined, until: undefined, code: "one();\n", output: "1\n" },
    { line: 18, file: "main.ts", until: "ready", code: "two();\n", output: undefined },
  ]);
});
