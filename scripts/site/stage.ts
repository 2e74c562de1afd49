/** Lays the pages of the site out as VitePress builds them. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { root } from "../checks/tree.ts";
import { replaceLinks, resolveLink } from "./links.ts";
import { navigation } from "./navigation.ts";
import { type Page, pathOf } from "./pages.ts";

export interface StageOptions {
  /** Where the repository's files can be read, as `https://example.com/coxswain/blob/main`. Without it they are named, not linked. */
  readonly source: string | undefined;
}

/** Writes pages, navigation and settings to `outDir`, which keeps what is installed in it. */
export function stagePages(pages: readonly Page[], outDir: string, { source }: StageOptions): void {
  const folder = join(outDir, "pages");
  rmSync(folder, { recursive: true, force: true });
  const files = new Set(pages.map(({ file }) => file));
  for (const page of pages) {
    const target = join(folder, page.path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(
      target,
      withoutInterpolation(replaceLinks(page.text, ({ text, target: link }) => linkOf(page, { text, link }, { files, source }))),
    );
  }
  cpSync(join(root, "site", "theme"), join(folder, ".vitepress", "theme"), { recursive: true });
  cpSync(join(root, "site", "config.ts"), join(folder, ".vitepress", "config.ts"));
  writeFileSync(join(folder, ".vitepress", "navigation.json"), JSON.stringify(navigation(pages)));
}

interface Link {
  readonly text: string;
  readonly link: string;
}

function linkOf(
  page: Page,
  { text, link }: Link,
  { files, source }: { readonly files: ReadonlySet<string>; readonly source: string | undefined },
): string {
  const { file, heading } = resolveLink(page.file, link);
  const anchor = heading === undefined ? "" : `#${heading}`;
  if (files.has(file)) {
    const path = posix.relative(posix.dirname(page.path), pathOf(file));
    return `[${text}](${path.startsWith(".") ? path : `./${path}`}${anchor})`;
  }
  const index = posix.join(file, "README.md");
  if (files.has(index)) return `[${text}](/${pathOf(index).replace(/\.md$/, "")}${anchor})`;
  if (source !== undefined) return `[${text}](${source}/${file}${anchor})`;
  return text.includes("`") || text === file ? text : `${text} (\`${file}\`)`;
}

/** Vue reads double braces of text as expressions. */
const withoutInterpolation = (text: string): string => text.replaceAll("{{", "&#123;&#123;").replaceAll("}}", "&#125;&#125;");
