/** Every link of a page leads to a file, and where it names one, to a heading in it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/checks/tree.ts";
import { anchorsOf, linksOf, replaceLinks, resolveLink } from "../../scripts/site/links.ts";
import { readPages } from "../../scripts/site/pages.ts";

for (const { file, text } of readPages()) {
  test(`${file}: links`, () => {
    const broken = linksOf(text).filter(({ target }) => {
      const { file: to, heading } = resolveLink(file, target);
      const path = join(root, to);
      if (!existsSync(path)) return true;
      return heading !== undefined && to.endsWith(".md") && !anchorsOf(readFileSync(path, "utf8")).has(heading);
    });
    assert.deepEqual(broken, []);
  });
}

test("links in code are none, addresses of other sites are left alone", () => {
  const page = "See [a](a.md#b), [c](https://example.com).\n\n```ts\n[d](d.md)\n```\n";
  assert.deepEqual(linksOf(page), [{ target: "a.md#b", text: "a", line: 1 }]);
  assert.equal(
    replaceLinks(page, ({ text }) => `_${text}_`),
    page.replace("[a](a.md#b)", "_a_"),
  );
});

test("the text of a link goes on in the next line, and not beyond its paragraph", () => {
  const page = "Some [text\nof two](a.md) and [b](b.md).\n\nNo [link\n\nhere](c.md), but [one](d.md).\n";
  assert.deepEqual(
    linksOf(page).map(({ target, line }) => [target, line]),
    [
      ["a.md", 1],
      ["b.md", 2],
      ["d.md", 6],
    ],
  );
  assert.equal(
    replaceLinks(page, ({ text }) => `<${text}>`),
    "Some <text\nof two> and <b>.\n\nNo [link\n\nhere](c.md), but <one>.\n",
  );
});

test("anchors are those of the headings", () => {
  assert.deepEqual([...anchorsOf("# A `b` of [C](d.md)!\n\n```sh\n# not one\n```\n## E-f: g\n")], ["a-b-of-c", "e-f-g"]);
});
