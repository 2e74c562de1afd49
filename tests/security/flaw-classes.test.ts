/** The table of flaw classes names files that are there, and tests that are in them. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const page = readFileSync(join(root, "docs", "security-flaw-classes.md"), "utf8");

const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| class "))
  .map((line) => {
    const [, flaw = "", defence = "", tested = ""] = line.split("|").map((cell) => cell.trim());
    const [, file = "", text = ""] = /^`([^`]+)` "(.+)"$/.exec(tested) ?? [];
    return { flaw, defence: defence.replaceAll("`", ""), file, text };
  });

test("the table has every class once", () => {
  assert.ok(rows.length > 40, `${rows.length} rows`);
  assert.equal(new Set(rows.map(({ flaw }) => flaw)).size, rows.length);
});

test("every file that the threat model names is there", () => {
  const text = readFileSync(join(root, "docs", "threat-model.md"), "utf8");
  const files = [...text.matchAll(/`((?:tests|packages)\/[^`]+)`/g)].map(([, file = ""]) => file);
  assert.ok(files.length > 20, `${files.length} files`);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, file))),
    [],
  );
});

for (const { flaw, defence, file, text } of rows)
  test(`${flaw}: its defence and its test are there`, () => {
    assert.ok(existsSync(join(root, defence)), `${defence} is not there`);
    assert.notEqual(file, "", "the test's cell is no file with a text in quotes");
    assert.ok(existsSync(join(root, file)), `${file} is not there`);
    assert.ok(readFileSync(join(root, file), "utf8").includes(text), `${file} has no ${JSON.stringify(text)}`);
  });
