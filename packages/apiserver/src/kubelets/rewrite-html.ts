/**
 * Links in HTML that is passed on: a value of each attribute that holds a URL is rewritten, everything else stays as it is.
 * Text is taken for ASCII with bytes in between that are none of it, so that any encoding that contains ASCII comes through.
 */

import { scanTag, type Tag, type TagScan } from "./scan-tag.ts";

/** By element. @see https://www.w3.org/TR/REC-html40/index/attributes.html */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  __proto__: null as never,
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/** What stands in them is text, whatever it contains. */
const rawText = new Set(["iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "title", "textarea", "xmp"]);
/** Bounds what is held back. Behind a tag that is longer nothing is rewritten any more. Characters. */
const maxTagLength = 64 * 1024;

/** Undefined leaves a link as it is. */
export type RewriteLink = (link: string) => string | undefined;

/** Where in the page what comes next stands. */
type Place =
  | { readonly kind: "text" }
  | { readonly kind: "tag"; readonly scan: TagScan }
  /** A comment, a declaration, an end tag. */
  | { readonly kind: "unread"; readonly end: string }
  | { readonly kind: "rawText"; readonly name: string }
  | { readonly kind: "behindLongestTag" };

/** Looks at each character a bounded number of times, however the page comes. */
export class HtmlRewriter {
  readonly #rewrite: RewriteLink;
  readonly #scanTag: (begin: string) => TagScan;
  #rest = "";
  #place: Place = { kind: "text" };

  constructor(rewrite: RewriteLink, scan: (begin: string) => TagScan = scanTag) {
    this.#rewrite = rewrite;
    this.#scanTag = scan;
  }

  /** As much as is certain by now. */
  push(chunk: Uint8Array): Buffer {
    const arrived = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    this.#rest += arrived;
    let out = "";
    for (let part = this.#next(arrived); part !== undefined; part = this.#next(arrived)) out += part;
    return Buffer.from(out, "latin1");
  }

  /** What is left. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = "";
    return Buffer.from(rest, "latin1");
  }

  /** A piece of the page; undefined when more has to come first. */
  #next(arrived: string): string | undefined {
    if (this.#rest === "") return undefined;
    const place = this.#place;
    switch (place.kind) {
      case "text":
        return this.#text();
      case "tag":
        // A tag that has begun goes on with all that has arrived.
        return this.#tag(place.scan.next(arrived));
      case "unread":
        return this.#unread(place.end);
      case "rawText":
        return this.#rawText(place.name);
      case "behindLongestTag":
        return this.#take(this.#rest.length);
    }
  }

  #text(): string | undefined {
    const start = this.#rest.indexOf("<");
    if (start !== 0) return this.#take(start < 0 ? this.#rest.length : start);
    if (this.#rest.length < 4 && "<!--".startsWith(this.#rest)) return undefined;
    if (this.#rest.startsWith("<!--")) return this.#leave("-->", 4);
    if (/^<[!?/]/.test(this.#rest)) return this.#leave(">", 2);
    if (!/^<[a-z]/i.test(this.#rest)) return this.#take(1);
    const scan = this.#scanTag(this.#rest);
    this.#place = { kind: "tag", scan };
    return this.#tag(scan.next(""));
  }

  #tag(scanned: IteratorResult<undefined, Tag>): string | undefined {
    const length = scanned.done ? scanned.value.end : this.#rest.length;
    if (length > maxTagLength) {
      this.#place = { kind: "behindLongestTag" };
      return this.#take(this.#rest.length);
    }
    if (!scanned.done) return undefined;
    const tag = scanned.value;
    this.#place = rawText.has(tag.name) ? { kind: "rawText", name: tag.name } : { kind: "text" };
    return this.#links(this.#take(length), tag);
  }

  #leave(end: string, begun: number): string {
    this.#place = { kind: "unread", end };
    return this.#take(begun);
  }

  #unread(end: string): string | undefined {
    const at = this.#rest.indexOf(end);
    if (at < 0) return this.#allBut(end.length - 1);
    this.#place = { kind: "text" };
    return this.#take(at + end.length);
  }

  #rawText(name: string): string | undefined {
    const end = new RegExp(`</${name}[\\s/>]`, "i").exec(this.#rest)?.index;
    // An end may have begun.
    if (end === undefined) return this.#allBut(name.length + 3);
    this.#place = { kind: "text" };
    return this.#take(end);
  }

  #links(text: string, { name, attributes }: Tag): string {
    const wanted = linkAttributes[name];
    if (wanted === undefined) return text;
    let out = "";
    let done = 0;
    for (const { key, from, to, value } of attributes) {
      const rewritten = wanted.includes(key) ? this.#rewrite(unescaped(value)) : undefined;
      if (rewritten === undefined) continue;
      out += `${text.slice(done, from)}"${escaped(rewritten)}"`;
      done = to;
    }
    return out + text.slice(done);
  }

  #allBut(length: number): string | undefined {
    const certain = this.#rest.length - length;
    return certain > 0 ? this.#take(certain) : undefined;
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }
}

const references: Readonly<Record<string, string>> = { __proto__: null as never, amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Of references those that URLs are written with. */
const unescaped = (value: string): string =>
  value.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,3})|#x([\da-f]{1,2}));/gi, (_, name?: string, decimal?: string, hex?: string) =>
    name === undefined
      ? String.fromCharCode(decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal))
      : (references[name.toLowerCase()] ?? ""),
  );

const escapes: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};
const escaped = (value: string): string => value.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
