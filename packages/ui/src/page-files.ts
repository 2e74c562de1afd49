/** The files of the page, as a browser gets them. */
import { existsSync, readFileSync } from "node:fs";

/** A file of the page. */
export interface PageFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  ["html", "text/html; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
]);

/** In the repository each module of the pages is a file, in TypeScript; published, those of a page are one script. */
const sources = new URL("../page/", import.meta.url);
const inRepository = import.meta.url.endsWith(".ts") && existsSync(sources);
const published: ReadonlyMap<string, string> = new Map([
  ["index.html", "timeline-page.html"],
  ["page.css", "timeline-page.css"],
  ["main.js", "timeline-page.js"],
  ["races.html", "races-page.html"],
  ["races.css", "races-page.css"],
  ["races.js", "races-page.js"],
]);

/** A file of the page by its name; undefined for what is none. */
export async function pageFile(name: string): Promise<PageFile | undefined> {
  const [, kind = ""] = /^[a-z-]+\.([a-z]+)$/.exec(name) ?? [];
  const contentType = contentTypes.get(kind);
  if (contentType === undefined) return undefined;
  if (inRepository) return sourceFile(name, contentType);
  const file = published.get(name);
  return file === undefined ? undefined : { contentType, bytes: readFileSync(new URL(`./${file}`, import.meta.url)) };
}

async function sourceFile(name: string, contentType: string): Promise<PageFile | undefined> {
  const path = new URL(name.replace(/\.js$/, ".ts"), sources);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8");
  return { contentType, bytes: Buffer.from(name.endsWith(".js") ? await scriptOf(text) : text) };
}

/** The types of a module go, and what it imports are scripts. */
async function scriptOf(source: string): Promise<string> {
  const { stripTypeScriptTypes } = await import("node:module");
  return stripTypeScriptTypes(source).replace(/(from\s+"\.\/[\w-]+)\.ts"/g, '$1.js"');
}
