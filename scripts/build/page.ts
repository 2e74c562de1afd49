/** The timeline page as it is published: one script, what it looks like, and the document. */
import { copyFileSync, globSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../checks/tree.ts";

const source = join(root, "packages/ui/page");

/** All that it is made of, but for types. */
export const pageSources = (): string[] => globSync("*.{ts,css,html}", { cwd: source }).map((name) => join(source, name));

/** Writes it below `outDir`. @throws Error for whatever the bundler warns of */
export async function bundlePage(outDir: string): Promise<void> {
  const build = await rolldown({
    input: join(source, "main.ts"),
    platform: "browser",
    transform: { target: "es2024" },
    onwarn(warning) {
      throw new Error(`the timeline page: ${warning.message}`);
    },
  });
  await using _ = { [Symbol.asyncDispose]: () => build.close() };
  await build.write({ file: join(outDir, "timeline-page.js"), format: "esm", comments: false });
  copyFileSync(join(source, "page.css"), join(outDir, "timeline-page.css"));
  copyFileSync(join(source, "index.html"), join(outDir, "timeline-page.html"));
}
