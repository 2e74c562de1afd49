import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { builtInControllers } from "./built-in-controllers.ts";

const source = join(import.meta.dirname, "..");
const folders = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !["catalogue", "contracts", "shared"].includes(entry.name))
  .map(({ name }) => name);

test("every controller of the list has a folder of its own", () => {
  assert.equal(folders.length, builtInControllers.length);
});

const sourcesOf = (folder: string): string =>
  readdirSync(join(source, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(source, folder, path), "utf8"))
    .join("\n");

for (const folder of folders) {
  test(`${folder}: ${folder}-controller.ts wires`, () => {
    assert.match(readFileSync(join(source, folder, `${folder}-controller.ts`), "utf8"), /: BuiltInController = \{/);
  });
  // It is the replicaset-controller for another kind.
  if (folder === "replication-controller") continue;
  for (const word of ["observe", "plan", "act"])
    test(`${folder}: there is a function ${word}`, () => {
      assert.match(sourcesOf(folder), new RegExp(`\\b(function|const) ${word}\\b`));
    });
}
