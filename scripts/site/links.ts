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
    Array.from(text.matchAll(inlineLink), ({ 1: label = "", 2: target = "", index }) => ({
      target,
      text: label,
      line: line + text.slice(0, index).split("\n").length - 1,
    })).filter(({ target }) => !isAddress(target)),
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
  // From the end, since a link that had a line break may have fewer lines afterwards.
  for (const { text, line } of proseOf(page).toReversed()) {
    const replaced = text.replace(inlineLink, (whole, label: string, target: string) =>
      isAddress(target) ? whole : replace({ text: label, target }),
    );
    lines.splice(line - 1, text.split("\n").length, replaced);
  }
  return lines.join("\n");
}

const isAddress = (target: string): boolean => /^[a-z]+:/.test(target);

interface Paragraph {
  readonly text: string;
  /** Of its first line. */
  readonly line: number;
}

/** The paragraphs that are not code: lines up to an empty one, since the text of a link may go on in the next line. */
function proseOf(page: string): Paragraph[] {
  const paragraphs: { line: number; lines: string[] }[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [i, text] of page.split("\n").entries()) {
    const isFence = /^\s*```/.test(text);
    if (isFence) isCode = !isCode;
    // Indented lines are code, except within a paragraph.
    const isProse: boolean = !isFence && !isCode && text.trim() !== "" && (isOpen || !text.startsWith("    "));
    if (isProse && isOpen) paragraphs.at(-1)?.lines.push(text);
    else if (isProse) paragraphs.push({ line: i + 1, lines: [text] });
    isOpen = isProse;
  }
  return paragraphs.map(({ line, lines }) => ({ line, text: lines.join("\n") }));
}

/** The anchors of a page's headings, as GitHub and VitePress make them. */
export function anchorsOf(page: string): Set<string> {
  return new Set(
    proseOf(page)
      .flatMap(({ text }) => text.split("\n"))
      .map((line) => /^#{1,6} (.+)$/.exec(line)?.[1])
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
