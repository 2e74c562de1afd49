/** Links of pages: found outside of code, and turned from paths of the repository into paths of the site. */
import { posix } from "node:path";

export interface Link {
  /** As it is written: `../compat.md#not-there`. */
  readonly target: string;
  readonly text: string;
  /** Of the page. */
  readonly line: number;
}

const inlineLink = /(?<!!)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** Links to other files and headings; addresses of other sites are left out. */
export function linksOf(page: string): Link[] {
  return proseOf(page).flatMap(({ text, line }) =>
    Array.from(text.matchAll(inlineLink), ([, label = "", target = ""]) => ({ target, text: label, line })).filter(
      ({ target }) => !/^[a-z]+:/.test(target),
    ),
  );
}

/** The file that a link of a page leads to, from the root of the repository, and the heading in it. */
export function resolveLink(file: string, target: string): { readonly file: string; readonly heading: string | undefined } {
  const [path = "", heading] = target.split("#", 2);
  return { file: path === "" ? file : posix.join(posix.dirname(file), path), heading };
}

/** The page with other links. `replace` gets a link's text and target and returns Markdown. */
export function replaceLinks(page: string, replace: (link: Omit<Link, "line">) => string): string {
  const lines = page.split("\n");
  for (const { line } of proseOf(page)) {
    lines[line - 1] = (lines[line - 1] ?? "").replace(inlineLink, (whole, text: string, target: string) =>
      /^[a-z]+:/.test(target) ? whole : replace({ text, target }),
    );
  }
  return lines.join("\n");
}

/** The lines that are not code. */
function proseOf(page: string): { readonly text: string; readonly line: number }[] {
  let isCode = false;
  return page.split("\n").flatMap((text, i) => {
    if (/^\s*```/.test(text)) {
      isCode = !isCode;
      return [];
    }
    return isCode || text.startsWith("    ") ? [] : [{ text, line: i + 1 }];
  });
}

/** The anchors of a page's headings, as GitHub and VitePress make them. */
export function anchorsOf(page: string): Set<string> {
  return new Set(
    proseOf(page)
      .map(({ text }) => /^#{1,6} (.+)$/.exec(text)?.[1])
      .filter((heading) => heading !== undefined)
      .map((heading) =>
        heading
          .toLowerCase()
          .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
          .replace(/[^\p{L}\p{N} _-]/gu, "")
          .trim()
          .replaceAll(" ", "-"),
      ),
  );
}
