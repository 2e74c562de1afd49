/** What comes with `npm install`: exact versions that are what the lockfile says, none of which runs anything of its own then. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const lockfiles = globSync("**/package-lock.json", { cwd: root, exclude: (path) => path.includes("node_modules") }).sort();

interface Locked {
  readonly version?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const packagesOf = (file: string): [string, Locked][] =>
  Object.entries((JSON.parse(readFileSync(join(root, file), "utf8")) as { packages: Record<string, Locked> }).packages);

test("no dependency runs anything when it is installed", () => {
  const scripts = packagesOf("package-lock.json").filter(([, { hasInstallScript }]) => hasInstallScript === true);
  assert.deepEqual(
    scripts.map(([path]) => path),
    [],
  );
  assert.match(readFileSync(join(root, ".npmrc"), "utf8"), /^ignore-scripts=true$/m);
});

for (const file of lockfiles)
  test(`${file}: every package is pinned by its content`, () => {
    const packages = packagesOf(file).filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
    assert.ok(packages.length > 0);
    const loose = packages.filter(([, { version, integrity = "" }]) => version === undefined || !integrity.startsWith("sha512-"));
    assert.deepEqual(
      loose.map(([path]) => path),
      [],
    );
  });

for (const manifest of ["package.json", ...globSync("packages/*/package.json", { cwd: root }).sort()])
  test(`${manifest} asks for exact versions`, () => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, manifest), "utf8"));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} ${version}`);
  });

for (const [format, checked] of [
  ["cyclonedx", ({ bomFormat, components }: Bill) => [bomFormat, components?.map(({ name, version }) => `${name}@${version}`)]],
  ["spdx", ({ spdxVersion, packages }: Bill) => [spdxVersion, packages?.map(({ name, versionInfo }) => `${name}@${versionInfo}`)]],
] as const)
  test(`npm sbom lists what is installed, in ${format}`, () => {
    const text = execFileSync("npm", ["sbom", "--package-lock-only", `--sbom-format=${format}`], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 << 20,
    });
    const [kind, listed = []] = checked(JSON.parse(text));
    assert.match(String(kind), /^(CycloneDX|SPDX-2\.\d)$/);
    for (const [path, { version, link }] of packagesOf("package-lock.json")) {
      if (!path.startsWith("node_modules/") || link === true || path.includes("node_modules/", 1)) continue;
      const name = path.slice("node_modules/".length);
      if (!isOptional(path)) assert.ok(listed.includes(`${name}@${version}`), `${name}@${version} is not listed`);
    }
  });

interface Bill {
  readonly bomFormat?: string;
  readonly components?: readonly { readonly name: string; readonly version: string }[];
  readonly spdxVersion?: string;
  readonly packages?: readonly { readonly name: string; readonly versionInfo: string }[];
}

/** For machines of another kind. */
const isOptional = (path: string): boolean =>
  packagesOf("package-lock.json").some(([at, locked]) => at === path && "optional" in locked && locked.optional === true);
