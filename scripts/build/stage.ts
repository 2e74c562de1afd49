/** Puts a package together as it is published: its manifest, what was built, the sources that maps name, licence and README. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../checks/tree.ts";
import { bundlePackage, licencesOf } from "./bundle.ts";
import { copyDeclarations } from "./declarations.ts";
import { entryName, entrySources, type Manifest, oldestNode, type Package } from "./packages.ts";

/** Writes one package to `outDir`. `emitted`: where `emitDeclarations` wrote. */
export async function stagePackage(published: Package, emitted: string, outDir: string): Promise<void> {
  const source = join(root, "packages", published.folder);
  const sources = new Set([...(await bundlePackage(published, outDir)), ...copyDeclarations(published, emitted, outDir)]);
  for (const file of sources) {
    mkdirSync(dirname(join(outDir, file)), { recursive: true });
    cpSync(join(source, file), join(outDir, file));
  }
  const licences = licencesOf(published);
  if (licences !== undefined) writeFileSync(join(outDir, "THIRD-PARTY-LICENSES"), licences);
  if (existsSync(join(source, "bin"))) cpSync(join(source, "bin/installed.mjs"), join(outDir, "bin/coxswain.mjs"));
  for (const file of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, file), join(outDir, file));
  cpSync(join(source, "README.md"), join(outDir, "README.md"));
  writeFileSync(join(outDir, "package.json"), `${JSON.stringify(publishedManifest(published), undefined, 2)}\n`);
}

/** Without what is of this repository alone, and with where everything was built. */
function publishedManifest({ manifest, bundled }: Package): object {
  const { name, version, description, keywords, license, dependencies = {}, peerDependencies, peerDependenciesMeta, bin } = manifest;
  const needed = Object.entries(dependencies).filter(([dependency]) => !bundled.includes(dependency));
  return {
    name,
    version,
    description,
    keywords,
    license,
    type: "module",
    sideEffects: false,
    engines: { node: `>=${oldestNode}` },
    main: "./dist/index.js",
    types: "./types/index.d.ts",
    exports: Object.fromEntries([...exportsOf(manifest), ["./package.json", "./package.json"]]),
    bin,
    dependencies: needed.length === 0 ? undefined : Object.fromEntries(needed),
    peerDependencies,
    peerDependenciesMeta,
    publishConfig: { access: "public" },
  };
}

function exportsOf(manifest: Manifest): [string, object][] {
  return entrySources(manifest).map(([subpath, source]) => {
    const types = source.replace(/^\.\/src\//, "./types/").replace(/\.ts$/, ".d.ts");
    return [subpath, subpath.includes("*") ? { types } : { types, default: `./dist/${entryName(subpath)}.js` }];
  });
}
