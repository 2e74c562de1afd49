/** Bundles the command with all that it depends on: chunks of CommonJS, which Node loads in half the time that modules take. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { root } from "../../checks/tree.ts";
import { entrySources, publishedPackages } from "../packages.ts";
import { bundlePage } from "../page.ts";
import { ownPackageChunk } from "./own-package-chunk.ts";

/** Sources by the name of the chunk. */
type Entries = Readonly<Record<string, string>>;

export interface CommandBundle {
  /** A source that is loaded before any module of users. */
  readonly beforeUsers?: string | undefined;
  /** What is to understand it, when that is not the Node of this repository alone. */
  readonly target?: string | undefined;
}

/**
 * Writes to `outDir`, which it empties first: `command.js`, a chunk for each thread, what they load, and the files that they read.
 * Returns the ids of all modules that went in.
 * @throws Error for whatever the bundler warns of
 */
export async function bundleCommand(outDir: string, { beforeUsers, target }: CommandBundle = {}): Promise<string[]> {
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const names = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" };
  const modules = await writeChunks(entries(), { dir: outDir, ...names, beforeUsers, target });
  for (const path of assets()) cpSync(path, join(outDir, basename(path)));
  await bundlePage(outDir);
  return modules;
}

/** The files that modules read beside themselves. */
export const assets = (): string[] =>
  publishedPackages().flatMap(({ folder, assets: files }) => files.map((file) => join(root, "packages", folder, file)));

function entries(): Entries {
  const input: Record<string, string> = { command: join(root, "packages/coxswain/src/commands/run-command.ts") };
  for (const { folder, manifest, threads } of publishedPackages()) {
    for (const [name, source] of Object.entries(threads)) input[name] = join(root, "packages", folder, source);
    if (folder === "coxswain") continue;
    for (const [subpath, source] of entrySources(manifest))
      if (!subpath.includes("*")) input[ownPackageChunk(`${manifest.name}${subpath.slice(1)}`)] = join(root, "packages", folder, source);
  }
  return input;
}

export interface ChunkSettings extends CommandBundle {
  readonly dir: string;
  readonly entryFileNames: string;
  readonly chunkFileNames: string;
}

/** Returns the ids of all modules that went in. @throws Error for whatever the bundler warns of */
export async function writeChunks(input: Entries, { beforeUsers, target, ...names }: ChunkSettings): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    input: { ...input },
    plugins: beforeUsers === undefined ? [] : [beforeModulesOfUsers(beforeUsers)],
    platform: "node",
    ...(target === undefined ? {} : { transform: { target } }),
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

/** What imports modules of users. */
const importsOfUsers: ReadonlySet<string> = new Set(
  ["scheduler/load-config.ts", "replay/controller/load-controller.ts"].map((source) => join(root, "packages/coxswain/src", source)),
);

const beforeModulesOfUsers = (first: string): Plugin => ({
  name: "before-modules-of-users",
  transform: (code, id) => (importsOfUsers.has(id) ? `import ${JSON.stringify(first)};\n${code}` : undefined),
});

/** One character beyond Latin 1 doubles the memory of a source, and decoding takes longer. Without comments all of them may be escaped. */
const inAscii = (code: string): string => code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
