/** The timeline page, and that of the races, as they are published: of each one script, what it looks like, and the document. */
import { copyFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../checks/tree.ts";

const source = join(root, "packages/ui/page");

/** All that it is made of, but for types. */
export const pageSources = (): string[] => globSync("*.{ts,css,html}", { cwd: source }).map((name) => join(source, name));

/** By the names that their files are published under. */
const pages = [
  { name: "timeline-page", script: "main.ts", style: "page.css", document: "index.html" },
  { name: "races-page", script: "races.ts", style: "races.css", document: "races.html" },
] as const;

/** Writes them below `outDir`. @throws Error for whatever the bundler warns of */
export async function bundlePage(outDir: string): Promise<void> {
  for (const { name, script, style, document } of pages) {
    const build = await rolldown({
      input: join(source, script),
      platform: "browser",
      transform: { target: "es2024" },
      onwarn(warning) {
        throw new Error(`the ${name}: ${warning.message}`);
      },
    });
    await using _ = { [Symbol.asyncDispose]: () => build.close() };
    await build.write({ file: join(outDir, `${name}.js`), format: "esm", comments: false });
    copyFileSync(join(source, style), join(outDir, `${name}.css`));
    copyFileSync(join(source, document), join(outDir, `${name}.html`));
  }
}
