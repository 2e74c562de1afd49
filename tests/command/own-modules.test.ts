import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");

/** No types: it is loaded before anything that could read them. */
const hooks: string = "../../packages/coxswain/bin/own-modules.mjs";

interface Hooks {
  resolve(specifier: string, context: object, next: () => { readonly url: string }): { readonly url: string };
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly types: string }>>;
}

/** What the short way does not know, Node finds by itself. */
const elsewhere = "elsewhere";

for (const path of globSync("packages/*/package.json", { cwd: root })) {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
  if (!name.startsWith("@coxswain/")) continue;
  for (const [entry, target] of Object.entries(exports)) {
    const specifier = entry === "." ? name : `${name}${entry.slice(1)}`;
    if (typeof target !== "string" || specifier.includes("*")) continue;
    test(`${specifier} is found where its package.json has it, or left to Node`, async () => {
      const { resolve } = (await import(hooks)) as Hooks;
      const { url } = resolve(specifier, {}, () => ({ url: elsewhere }));
      const wanted = pathToFileURL(join(root, dirname(path), target)).href;
      assert.ok(url === elsewhere || url === wanted, `${url} for ${wanted}`);
    });
  }
}
