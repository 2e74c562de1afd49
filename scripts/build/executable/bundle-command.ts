/** Makes the chunks of the executable: the command with all that it depends on, for `chunks.ts` to run. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { root } from "../../checks/tree.ts";
import { entrySources, publishedPackages } from "../packages.ts";
import { ownPackageChunk } from "./own-packages.ts";

/**
 * Writes to `outDir`, which it empties first: chunks of CommonJS (`command.js`, one for each thread, and what they load), the assets that they read,
 * and `main.cjs` and `record.cjs`, which run them. Returns the folders of the packages that became part of it.
 * @throws Error for whatever the bundler warns of
 */
export async function bundleCommand(outDir: string): Promise<string[]> {
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const sources = await bundle(entries(), { dir: outDir, entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" });
  for (const name of ["main", "record"])
    await bundle({ [name]: join(import.meta.dirname, `${name}.ts`) }, { dir: outDir, entryFileNames: "[name].cjs", chunkFileNames: "" });
  for (const { folder, assets } of publishedPackages())
    for (const asset of assets) cpSync(join(root, "packages", folder, asset), join(outDir, basename(asset)));
  return [...new Set(sources.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))].sort();
}

function entries(): Record<string, string> {
  const input: Record<string, string> = { command: join(root, "packages/coxswain/src/commands/run-command.ts") };
  for (const { folder, manifest, threads } of publishedPackages()) {
    // The entry of the command is `command` here.
    for (const [name, source] of Object.entries(threads)) if (name !== "main") input[name] = join(root, "packages", folder, source);
    if (folder === "coxswain") continue;
    for (const [subpath, source] of entrySources(manifest))
      if (!subpath.includes("*")) input[ownPackageChunk(`${manifest.name}${subpath.slice(1)}`)] = join(root, "packages", folder, source);
  }
  return input;
}

interface Names {
  readonly dir: string;
  readonly entryFileNames: string;
  readonly chunkFileNames: string;
}

/** Returns the paths of the sources. */
async function bundle(input: Record<string, string>, names: Names): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    input,
    platform: "node",
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  await using _ = { [Symbol.asyncDispose]: () => build.close() };
  const { output } = await build.generate({ ...names, format: "cjs", comments: false });
  const chunks = output.filter((file): file is OutputChunk => file.type === "chunk");
  for (const { fileName, code } of chunks) writeFileSync(join(names.dir, fileName), inAscii(code));
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

/** One character beyond Latin 1 doubles the memory of a source, and decoding takes longer. Without comments all of them may be escaped. */
const inAscii = (code: string): string => code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
