/** Every file that is published, looked at where npm has put it. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { importedNames, packageOf } from "../../scripts/build/imports.ts";
import { root } from "../../scripts/checks/tree.ts";
import { builtPackages } from "./built.ts";
import { emptyFolder } from "./empty-folder.ts";

interface Installed {
  readonly name: string;
  readonly folder: string;
  /** Paths in the folder. */
  readonly files: readonly string[];
  readonly manifest: {
    readonly version: string;
    readonly license: string;
    readonly engines: { readonly node: string };
    readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default?: string }>>;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
}

/** What a rule finds in one package: nothing, when it is kept. */
type Rule = (published: Installed) => Iterable<string>;

const { testSupport } = JSON.parse(readFileSync(join(root, "layers.json"), "utf8")) as { readonly testSupport: readonly string[] };
const workspace = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };

/** Entry points for the tests of others. */
const testing: ReadonlySet<string> = new Set(["packages/machinery/src/testing/", "packages/store/src/testing/"]);
const supportOf = (name: string): string[] =>
  testSupport
    .filter((path) => !testing.has(path) && path.startsWith(`packages/${name.replace("@coxswain/", "")}/`))
    .map((path) => path.split("/").slice(2).join("/"));

const read = ({ folder }: Installed, path: string): string => readFileSync(join(folder, path), "utf8");

const rules: Readonly<Record<string, Rule>> = {
  "no tests, and nothing that only tests need": ({ name, files }) =>
    files.filter((file) => /\.(test|spec)\.|under-test/.test(file) || supportOf(name).some((path) => file.startsWith(path))),

  "a licence, a README and the history of changes": ({ files }) =>
    ["LICENSE", "README.md", "CHANGELOG.md", "package.json"].filter((file) => !files.includes(file)),

  "the licence of whatever is bundled": function* (published) {
    const licences = published.files.includes("THIRD-PARTY-LICENSES") ? read(published, "THIRD-PARTY-LICENSES") : "";
    for (const file of published.files.filter((path) => /^dist\/.*\.js$/.test(path)))
      for (const source of bundledSources(read(published, file))) {
        const [, name = ""] = /(?:node_modules\/|\\0)((?:@[^/+]+[/+])?[^/@]+)/.exec(source) ?? [];
        if (!/^(src|packages|scripts)\//.test(source) && !licences.includes(`\n${name.replace("+", "/")} `)) yield `${file}: ${source}`;
      }
  },

  "entry points that are there": ({ folder, files, manifest }) =>
    Object.values(manifest.exports)
      .flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)))
      .filter((target) =>
        target.includes("*") ? globSync(target, { cwd: folder }).length === 0 : !files.includes(target.slice("./".length)),
      ),

  // The bundle of the command is for no debugger: what it consists of is in the packages.
  "maps of everything that is ours, whose sources are there": function* (published) {
    for (const file of published.files.filter((path) => /^(dist(?!\/command\/)|types)\/.*\.(js|d\.ts)$/.test(path))) {
      const [, map] = /^\/\/# sourceMappingURL=(.*)$/m.exec(read(published, file)) ?? [];
      if (map === undefined) {
        if (!hasNoMap(read(published, file))) yield `${file} has no map`;
      } else yield* missingSources(published, join(dirname(file), map));
    }
  },

  "no dependency too few, and none too many": ({ folder, manifest }) => {
    const imported = new Set(Array.from(importedNames(folder, "{bin,dist,types}/**/*.{js,mjs,ts}"), packageOf));
    const needed = [...imported].filter((name) => !name.startsWith("node:")).sort();
    const named = [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.peerDependencies ?? {})].sort();
    return needed.join() === named.join() ? [] : [`imports ${needed}, depends on ${named}`];
  },

  "our own packages in one version, others in an exact one": ({ manifest: { version, dependencies = {} } }) =>
    Object.entries(dependencies)
      .filter(([name, wanted]) => (name.startsWith("@coxswain/") ? wanted !== version : !/^\d+\.\d+\.\d+$/.test(wanted)))
      .map(([name, wanted]) => `${name} ${wanted}`),

  "no path of the machine that has built it": function* (published) {
    for (const file of published.files)
      for (const path of [root, `${homedir()}/`]) if (read(published, file).includes(path)) yield `${file}: ${path}`;
  },
};

test("what is published", { timeout: 5 * 60_000 }, async (t) => {
  const names = [...(await builtPackages()).packages.keys()];
  const { path } = await emptyFolder(t, { packages: names });
  const packages = names.map((name) => installedPackage(name, join(path, "node_modules", name)));
  for (const [name, rule] of Object.entries(rules))
    await t.test(name, () => assert.deepEqual(Object.fromEntries(brokenBy(rule, packages)), {}));
  await t.test("the command installs with all that it needs, which is all packages, in 60 MB", (t) =>
    assert.ok(installedBytes(t, path) < 60_000_000),
  );
  await t.test("the client installs with all that it needs in 3 MB", async (t) => {
    const { path } = await emptyFolder(t, { packages: ["@coxswain/client"] });
    assert.ok(installedBytes(t, path) < 3_000_000);
  });
  await t.test("all have one version, one licence and one Node", () => {
    const said = new Set(packages.map(({ manifest: { version, license, engines } }) => `${version} ${license} ${engines.node}`));
    assert.deepEqual([...said], [`${workspace.version} Apache-2.0 >=22.15.0`]);
  });
  await t.test("maps lead to what was written", () => {
    const client = packages.find(({ name }) => name === "@coxswain/client")!;
    for (const file of ["dist/node.js", "types/node/in-cluster.d.ts"])
      assert.match(sourceLine(client, file, "inClusterKubeconfig"), /export async function inClusterKubeconfig\(/);
  });
});

function installedPackage(name: string, folder: string): Installed {
  const entries = globSync("**/*", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return { name, folder, files, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
}

function installedBytes(t: TestContext, folder: string): number {
  const files = globSync("node_modules/**/*", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  t.diagnostic(`${bytes} bytes in ${files.length} files`);
  return bytes;
}

const brokenBy = (rule: Rule, packages: readonly Installed[]): [string, string[]][] =>
  packages.map((published): [string, string[]] => [published.name, [...rule(published)]]).filter(([, found]) => found.length > 0);

/** The bundler names each source above what it has made of it. */
const bundledSources = (text: string): string[] => Array.from(text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm), ([, source]) => source!);

/** Nothing is of our sources: another project's module, or one that is empty or only hands on. */
const hasNoMap = (text: string): boolean => {
  const sources = bundledSources(text);
  if (sources.length > 0) return sources.every((source) => !source.startsWith("src/"));
  return text.split("\n").every((line) => line === "" || /^(import|export) .*;$/.test(line));
};

function* missingSources({ folder }: Installed, map: string): Iterable<string> {
  const { sources, sourcesContent } = JSON.parse(readFileSync(join(folder, map), "utf8")) as Partial<SourceMapPayload>;
  if (sources === undefined || sources.length === 0) yield `${map} names no sources`;
  for (const [i, source] of (sources ?? []).entries())
    if (typeof sourcesContent?.[i] !== "string" && !existsSync(join(folder, dirname(map), source))) yield `${map}: ${source}`;
}

/** The line of the source that the first mention of a name in a file is from. */
function sourceLine({ folder }: Installed, file: string, name: string): string {
  const lines = readFileSync(join(folder, file), "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes(`function ${name}(`));
  assert.notEqual(line, -1, `${file} has no ${name}`);
  const map = new SourceMap(JSON.parse(readFileSync(join(folder, `${file}.map`), "utf8")) as SourceMapPayload);
  const entry = map.findEntry(line, lines[line]!.indexOf(name));
  if (!("originalSource" in entry)) return "";
  return readFileSync(join(folder, dirname(file), entry.originalSource), "utf8").split("\n")[entry.originalLine] ?? "";
}
