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

/** In the repository each module of the page is a file, in TypeScript; published, all of them are one script. */
const sources = new URL("../page/", import.meta.url);
const inRepository = import.meta.url.endsWith(".ts") && existsSync(sources);
const published: ReadonlySet<string> = new Set(["index.html", "page.css", "main.js"]);

/** A file of the page by its name; undefined for what is none. */
export async function pageFile(name: string): Promise<PageFile | undefined> {
  const [, kind = ""] = /^[a-z-]+\.([a-z]+)$/.exec(name) ?? [];
  const contentType = contentTypes.get(kind);
  if (contentType === undefined) return undefined;
  if (inRepository) return sourceFile(name, contentType);
  if (!published.has(name)) return undefined;
  return { contentType, bytes: readFileSync(new URL(`./timeline-page.${kind}`, import.meta.url)) };
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
