/** Makes the JavaScript of a package: one module for each entry point, and one for each part that is loaded when it is needed. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { root } from "../checks/tree.ts";
import { entryName, entrySources, type Package } from "./packages.ts";
import { bundlePage } from "./page.ts";

/** What Node 22 and the browsers of 2024 understand: `using` is rewritten. */
export const target = "es2024";

export interface Bundled {
  /** What the source maps name, as paths from the package's folder. */
  readonly sources: readonly string[];
  /** The ids of whatever went in, of other projects too. */
  readonly modules: readonly string[];
}

/**
 * Writes `dist` of the package below `outDir`; what the package depends on stays an import.
 * @throws Error for whatever the bundler warns of
 */
export async function bundlePackage(published: Package, outDir: string): Promise<Bundled> {
  const { folder, manifest, threads, assets, bundled } = published;
  const source = join(root, "packages", folder);
  const dist = join(outDir, "dist");
  mkdirSync(dist, { recursive: true });
  const entries = entrySources(manifest).filter(([subpath]) => !subpath.includes("*"));
  const build = await rolldown({
    cwd: source,
    input: {
      ...Object.fromEntries(entries.map(([subpath, path]) => [entryName(subpath), join(source, path)])),
      ...Object.fromEntries(Object.entries(threads).map(([name, path]) => [name, join(source, path)])),
    },
    platform: "neutral",
    external: (id) => !/^[./\0]|^@oxc-project\/runtime\//.test(id) && !bundled.includes(id),
    resolve: { mainFields: ["module", "main"], conditionNames: ["import", "default"] },
    transform: { target },
    onwarn(warning) {
      throw new Error(`${manifest.name}: ${warning.message}`);
    },
  });
  await using _ = { [Symbol.asyncDispose]: () => build.close() };
  const { output } = await build.write({
    dir: dist,
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    comments: { legal: true, annotation: true, jsdoc: false },
  });
  for (const asset of assets) cpSync(join(source, asset), join(dist, basename(asset)));
  if (folder === "ui") await bundlePage(dist);
  // A module of types alone has no map.
  const maps = output.filter((file): file is OutputChunk => file.type === "chunk" && file.map !== null);
  for (const { fileName, map } of maps) if (map?.sources.every((name) => name.includes("node_modules/"))) withoutMap(join(dist, fileName));
  const kept = maps.map(({ fileName }) => join(dist, `${fileName}.map`)).filter((path) => existsSync(path));
  return {
    sources: [...new Set(kept.flatMap((path) => withoutOwnSources(path, { source, outDir })))],
    modules: output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])),
  };
}

/** A module of another project alone is as readable as that project has published it; a map would hold it once more. */
function withoutMap(path: string): void {
  rmSync(`${path}.map`);
  writeFileSync(path, readFileSync(path, "utf8").replace(/\/\/# sourceMappingURL=.*\n?$/, ""));
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
}

/** Lets a map name the sources that are published beside it, instead of holding them; those of other projects it keeps. */
function withoutOwnSources(path: string, { source, outDir }: { readonly source: string; readonly outDir: string }): string[] {
  const map = JSON.parse(readFileSync(path, "utf8")) as SourceMap;
  const dist = join(outDir, "dist");
  const own: string[] = [];
  const sources = map.sources.map((name) => {
    const file = relative(source, resolve(dist, name));
    if (!file.startsWith("src/")) return `../${file.slice(Math.max(0, file.lastIndexOf("node_modules/")))}`;
    own.push(file);
    return `../${file}`;
  });
  const sourcesContent = map.sourcesContent?.map((text, i) => (sources[i]?.startsWith("../src/") ? null : text));
  const isOwn = sourcesContent?.every((text) => text === null) === true;
  writeFileSync(path, JSON.stringify({ ...map, sources, sourcesContent: isOwn ? undefined : sourcesContent }));
  return own;
}
