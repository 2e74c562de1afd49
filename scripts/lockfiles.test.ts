/** Lockfiles are complete for all platforms, so that `npm ci` takes them, and name no registry. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./checks/tree.ts";

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Locked = Readonly<Record<string, LockedPackage>>;

const exclude = (name: string): boolean => name === "node_modules" || name.startsWith(".");
const files = globSync("**/package-lock.json", { cwd: root, exclude: (path) => path.split("/").some(exclude) }).sort();

for (const file of files) {
  const { packages } = JSON.parse(readFileSync(join(root, file), "utf8")) as { readonly packages: Locked };

  test(`${file} has the packages of all platforms`, () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isFoundFrom(path, name, packages)),
    );
    assert.deepEqual(missing, [], "npm install --package-lock-only --omit-lockfile-registry-resolved with a registry that has them");
  });

  test(`${file} names no registry, and knows what each package must be`, () => {
    const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
    assert.ok(fetched.length > 0);
    assert.deepEqual(
      fetched.flatMap(([path, { resolved, integrity }]) => (resolved === undefined && integrity !== undefined ? [] : path)),
      [],
    );
  });
}

/** As Node looks for packages: beside whoever asks, and further up. */
function isFoundFrom(path: string, name: string, packages: Locked): boolean {
  if (`${path === "" ? "" : `${path}/`}node_modules/${name}` in packages) return true;
  if (path === "") return false;
  return isFoundFrom(path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name, packages);
}
