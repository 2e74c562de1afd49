/** What the kits in other languages say of themselves agrees with the packages. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./checks/tree.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { version } = JSON.parse(read("packages/coxswain/package.json")) as { readonly version: string };

/** Where a version stands, and how. */
const versions = [
  { file: "kits/go/example/go.mod", pattern: /coxswain\.dev\/coxswain v(\S+)/ },
  { file: "kits/rust/Cargo.toml", pattern: /^version = "(.*)"$/m },
  { file: "kits/rust/Cargo.lock", pattern: /name = "coxswain-testing"\nversion = "(.*)"/ },
  { file: "kits/rust/README.md", pattern: /coxswain-testing = \{ version = "([^"]*)"/ },
  { file: "kits/rust/example/Cargo.toml", pattern: /coxswain-testing = \{ version = "([^"]*)"/ },
  { file: "kits/rust/example/Cargo.lock", pattern: /name = "coxswain-testing"\nversion = "(.*)"/ },
  { file: "docs/howto/use-from-rust.md", pattern: /coxswain-testing = \{ version = "([^"]*)"/ },
];
for (const { file, pattern } of versions)
  test(`${file} names the version of the packages`, () => assert.equal(pattern.exec(read(file))?.[1], version));

for (const kit of ["go", "rust"]) {
  test(`the kit for ${kit} has the licence of the packages`, () => assert.equal(read(`kits/${kit}/LICENSE`), read("LICENSE")));
  test(`the kit for ${kit} has a README`, () => assert.ok(existsSync(join(root, `kits/${kit}/README.md`))));
}
