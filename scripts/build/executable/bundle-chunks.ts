/** Makes the chunks of the executable: the command with all that it depends on, for `chunks.ts` to run. */
import { join } from "node:path";
import { bundleCommand, writeChunks } from "../command/bundle-command.ts";

/**
 * Writes the bundle of the command to `outDir`, which it empties first, with `main.cjs` and `record.cjs`, which run it.
 * Returns the folders of the packages that became part of it.
 * @throws Error for whatever the bundler warns of
 */
export async function bundleChunks(outDir: string): Promise<string[]> {
  const modules = await bundleCommand(outDir);
  for (const name of ["main", "record"])
    await writeChunks(
      { [name]: join(import.meta.dirname, `${name}.ts`) },
      { dir: outDir, entryFileNames: "[name].cjs", chunkFileNames: "" },
    );
  return [...new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))].sort();
}
