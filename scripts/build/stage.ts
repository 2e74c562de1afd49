/** Puts a package together as it is published: its manifest, what was built, the sources that maps name, licence and README. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../checks/tree.ts";
import { bundlePackage, target } from "./bundle.ts";
import { bundleInFiles } from "./command/bundle-in-files.ts";
import { copyDeclarations } from "./declarations.ts";
import { importedNames, packageOf } from "./imports.ts";
import { licencesOf } from "./licences.ts";
import { entryName, entrySources, type Manifest, oldestNode, type Package } from "./packages.ts";

export interface StageOptions {
  /** Where `emitDeclarations` wrote. */
  readonly emitted: string;
  readonly outDir: string;
  /** Where the sources of all packages are kept in public: what npm's provenance is compared with. */
  readonly repository?: string;
}

/** Writes one package. @throws Error when it imports what its manifest does not name */
export async function stagePackage(published: Package, { emitted, outDir, repository }: StageOptions): Promise<void> {
  const source = join(root, "packages", published.folder);
  const { sources, modules } = await bundlePackage(published, outDir);
  for (const file of new Set([...sources, ...copyDeclarations(published, emitted, outDir)])) {
    mkdirSync(dirname(join(outDir, file)), { recursive: true });
    cpSync(join(source, file), join(outDir, file));
  }
  const command = existsSync(join(source, "bin")) ? await bundleInFiles(join(outDir, "dist/command"), target) : [];
  const licences = licencesOf([...modules, ...command]);
  if (licences !== undefined) writeFileSync(join(outDir, "THIRD-PARTY-LICENSES"), licences);
  if (command.length > 0) {
    cpSync(join(source, "bin/installed.mjs"), join(outDir, "bin/coxswain.mjs"));
    cpSync(join(source, "bin/compiled-code.mjs"), join(outDir, "bin/compiled-code.mjs"));
  }
  for (const file of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, file), join(outDir, file));
  cpSync(join(source, "README.md"), join(outDir, "README.md"));
  const dependencies = neededOf(published, outDir);
  const where = repository === undefined ? undefined : { type: "git", url: repository, directory: `packages/${published.folder}` };
  // What is run by its path does something when it is loaded, whatever is imported of it; so do some entry points.
  const run = [...Object.keys(published.threads), ...published.sideEffects.map(entryName)].map((name) => `./dist/${name}.js`);
  const sideEffects = run.length === 0 ? false : [...run, ...Object.values(published.manifest.bin ?? {})];
  const manifest = { ...publishedManifest(published), sideEffects, dependencies, repository: where };
  writeFileSync(join(outDir, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Those dependencies that what was built imports: others are bundled, or were only for types that are not published. */
function neededOf({ manifest, optionalPeers }: Package, outDir: string): Record<string, string> | undefined {
  const { name, dependencies = {} } = manifest;
  const imported = new Set(Array.from(importedNames(outDir, "{bin,dist,types}/**/*.{js,mjs,ts}"), packageOf));
  const missing = [...imported].filter((other) => !other.startsWith("node:") && !(other in dependencies) && !(other in optionalPeers));
  if (missing.length > 0) throw new Error(`${name} imports ${missing.join(", ")} and does not depend on it`);
  const needed = Object.entries(dependencies).filter(([dependency]) => imported.has(dependency));
  return needed.length === 0 ? undefined : Object.fromEntries(needed);
}

/** Without what is of this repository alone, and with where everything was built. */
function publishedManifest({ manifest, optionalPeers }: Package): object {
  const { name, version, description, keywords, license } = manifest;
  const peers = Object.keys(optionalPeers);
  // As npm writes them: it warns of a path that starts with a dot.
  const bin =
    manifest.bin && Object.fromEntries(Object.entries(manifest.bin).map(([command, path]) => [command, path.replace(/^\.\//, "")]));
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: "module",
    engines: { node: `>=${oldestNode}` },
    main: "./dist/index.js",
    types: "./types/index.d.ts",
    exports: Object.fromEntries([...exportsOf(manifest), ["./package.json", "./package.json"]]),
    bin,
    peerDependencies: peers.length === 0 ? undefined : optionalPeers,
    peerDependenciesMeta: peers.length === 0 ? undefined : Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
    // With provenance npm publishes from CI alone, and only what names its repository.
    publishConfig: { access: "public", provenance: true },
  };
}

function exportsOf(manifest: Manifest): [string, object][] {
  return entrySources(manifest).map(([subpath, source]) => {
    const types = source.replace(/^\.\/src\//, "./types/").replace(/\.ts$/, ".d.ts");
    return [subpath, subpath.includes("*") ? { types } : { types, default: `./dist/${entryName(subpath)}.js` }];
  });
}
