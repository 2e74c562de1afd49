/**
 * Links in HTML that is passed on: a value of each attribute that holds a URL is rewritten, everything else stays as it is.
 * Text is taken for ASCII with bytes in between that are none of it, so that any encoding that contains ASCII comes through.
 */

import { scanTag, type Tag } from "./scan-tag.ts";

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

/** What stands in them is text, whatever it looks like. */
const rawText = new Set(["iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "title", "textarea", "xmp"]);
/** What goes on for longer is no tag, or none that anybody reads. Characters. */
const longestTag = 1024 * 1024;

/** Undefined leaves a link as it is. */
export type RewriteLink = (link: string) => string | undefined;

export class HtmlRewriter {
  readonly #rewrite: RewriteLink;
  #rest = "";
  /** Which element's end is being looked for. */
  #within: string | undefined;

  constructor(rewrite: RewriteLink) {
    this.#rewrite = rewrite;
  }

  /** As much as is certain by now. */
  push(chunk: Uint8Array): Buffer {
    this.#rest += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    let out = "";
    for (let part = this.#next(); part !== undefined; part = this.#next()) out += part;
    return Buffer.from(out, "latin1");
  }

  /** What is left. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = "";
    return Buffer.from(rest, "latin1");
  }

  /** A text, a tag or a comment; undefined when it may go on. */
  #next(): string | undefined {
    if (this.#rest === "") return undefined;
    if (this.#within !== undefined) return this.#rawText(this.#within);
    const start = this.#rest.indexOf("<");
    if (start !== 0) return this.#take(start < 0 ? this.#rest.length : start);
    if ("<!--".startsWith(this.#rest.slice(0, 4)) && this.#rest.length < 4) return this.#unlessLong();
    if (this.#rest.startsWith("<!--")) return this.#through(this.#rest.indexOf("-->", 4), 3);
    if (/^<[!?/]/.test(this.#rest)) return this.#through(this.#rest.indexOf(">"), 1);
    if (this.#rest.length > 1 && !/^<[a-z]/i.test(this.#rest)) return this.#take(1);
    const tag = scanTag(this.#rest);
    if (tag === undefined) return this.#unlessLong();
    if (rawText.has(tag.name)) this.#within = tag.name;
    return this.#links(this.#take(tag.end), tag);
  }

  #rawText(name: string): string | undefined {
    const end = new RegExp(`</${name}[\\s/>]`, "i").exec(this.#rest)?.index;
    if (end === undefined) {
      // An end may have begun.
      const certain = this.#rest.length - name.length - 3;
      return certain > 0 ? this.#take(certain) : undefined;
    }
    this.#within = undefined;
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

  #through(at: number, length: number): string | undefined {
    return at < 0 ? this.#unlessLong() : this.#take(at + length);
  }

  #unlessLong(): string | undefined {
    return this.#rest.length > longestTag ? this.#take(1) : undefined;
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

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
const escaped = (value: string): string => value.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
