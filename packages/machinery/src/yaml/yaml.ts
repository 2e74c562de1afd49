/**
 * YAML as Kubernetes reads it: version 1.1, the first document of a text, turned into what JSON can say.
 * The parser is loaded when the first text arrives; most servers never see one.
 */
import type { AliasEvent, Document, Event, MappingEvent, ScalarEvent, ScalarTagDefinition, SequenceEvent } from "js-yaml";
import { goQuote } from "../go/quote.ts";
import type { DecodeReport } from "../types/decode-report.ts";
import { DecodeError } from "../values/decode-error.ts";
import { setOwn } from "../values/json-object.ts";
import { parseJsonAsYaml } from "./json-as-yaml.ts";
import { resolveScalar } from "./yaml-scalar.ts";

type JsYaml = typeof import("js-yaml");

/** Parses one document of YAML 1.1 into what the same JSON would be. Loads its parser when it is first needed. @throws DecodeError */
export async function parseYaml(text: string, opts: { readonly report?: DecodeReport } = {}): Promise<unknown> {
  const json = parseJsonAsYaml(text);
  if (json !== undefined) return json;
  const yaml = await import("js-yaml");
  const builder = new YamlBuilder(yaml, text);
  const value = builder.document();
  if (builder.repeats.length > 0) opts.report?.problem(`yaml: unmarshal errors:\n${builder.repeats.map((r) => `  ${r}`).join("\n")}`);
  return value;
}

/** Keys in order, lists not indented, as kubectl prints. Takes what JSON can say. */
export async function stringifyYaml(value: unknown): Promise<string> {
  const { dump, DUMP_SCHEMA, SCALAR_STYLE, visit } = await import("js-yaml");
  const tags = DUMP_SCHEMA.tags.map((tag) => (tag.nodeKind === "scalar" && tag.tagName.endsWith(":int") ? asWeRead(tag) : tag));
  const schema = DUMP_SCHEMA.withTags(tags);
  const quoteMarkers = (documents: Document[]): void =>
    visit(documents, (node) => {
      if (node.kind === "scalar" && documentMarker.test(node.value)) node.style = SCALAR_STYLE.DOUBLE_QUOTED;
    });
  return dump(value, {
    transform: quoteMarkers,
    schema,
    sortKeys: true,
    seqNoIndent: true,
    lineWidth: -1,
    noRefs: true,
    quoteStyle: "double",
  });
}

/** Where a line begins with it, it ends the document, also as a part of a key. */
const documentMarker = /^(?:---|\.\.\.)(?:\s|$)/;

/** With bigints; and a text that is read as a number here is quoted, `-_0` as well, which others take for a text. */
const asWeRead = (int: ScalarTagDefinition): ScalarTagDefinition => ({
  ...int,
  resolve: (source, ...rest) => (typeof resolveScalar(source, "", true) === "string" ? int.resolve(source, ...rest) : 0),
  identify: (data) => typeof data === "bigint" || int.identify(data),
  represent: (data) => (typeof data === "bigint" ? String(data) : int.represent(data)),
});

const maxDepth = 1000;
const maxRepeats = 100;
/** Aliases may multiply a text; so much is allowed before it looks like a bomb. */
const maxAliasNodes = 100_000;
/** Of all scalars that aliases repeat; characters. */
const maxAliasText = 10 * 1024 * 1024;

/** Builds values from the parser's events; an alias is built again from the events of its anchor, so nothing is shared. */
class YamlBuilder {
  readonly repeats: string[] = [];
  readonly #yaml: JsYaml;
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, number>();
  readonly #open = new Set<string>();
  #next = 0;
  #depth = 0;
  #nodes = 0;
  #aliasNodes = 0;
  #scalarText = 0;
  #aliasText = 0;

  constructor(yaml: JsYaml, given: string) {
    const { text, events } = parseLeniently(yaml, given);
    this.#yaml = yaml;
    this.#text = text;
    this.#events = events;
  }

  document(): unknown {
    if (this.#take()?.type !== this.#yaml.EVENT_ID.DOCUMENT || this.#ends()) {
      refuseIndentingTab(this.#text);
      return null;
    }
    return this.#value();
  }

  #value(): unknown {
    if (++this.#depth > maxDepth) throw new DecodeError("yaml: exceeded max depth");
    this.#count();
    const event = this.#take();
    const { SCALAR, SEQUENCE, MAPPING, ALIAS } = this.#yaml.EVENT_ID;
    let value: unknown;
    if (event?.type === SCALAR) value = this.#scalar(event);
    else if (event?.type === SEQUENCE) value = this.#anchored(event, () => this.#sequence());
    else if (event?.type === MAPPING) value = this.#anchored(event, () => this.#mapping({}));
    else if (event?.type === ALIAS) value = this.#alias(event, () => this.#value());
    this.#depth--;
    return value;
  }

  #scalar(event: ScalarEvent): unknown {
    this.#remember(event);
    const text = this.#textOf(event).toWellFormed();
    this.#scalarText += text.length;
    const tag = event.tagStart < 0 ? "" : this.#text.slice(event.tagStart, event.tagEnd);
    const plain = event.style === this.#yaml.SCALAR_STYLE.PLAIN;
    const value = resolveScalar(text, tag, plain);
    if (typeof value === "number" && !Number.isFinite(value)) throw new DecodeError(`json: unsupported value: ${goFloat(value)}`);
    return value;
  }

  /** A block's last line gets no break that the text does not have. JSON's escape of a slash is none of YAML 1.1. */
  #textOf(event: ScalarEvent): string {
    if (event.valueStart < 0) return "";
    if (event.style === this.#yaml.SCALAR_STYLE.DOUBLE_QUOTED && hasSlashEscape(this.#text.slice(event.valueStart, event.valueEnd)))
      throw new DecodeError(`yaml: line ${this.#lineOf(event)}: found unknown escape character`);
    const text = this.#yaml.getScalarValue(this.#text, event);
    const cut = this.#header(event) === 1 && event.valueEnd === this.#text.length && !/[\r\n]$/.test(this.#text);
    return cut && text.endsWith("\n") ? text.slice(0, -1) : text;
  }

  #sequence(): unknown[] {
    const items: unknown[] = [];
    while (!this.#ends()) items.push(this.#value());
    this.#next++;
    return items;
  }

  /** Later keys win, those of a merge among them. */
  #mapping(object: Record<string, unknown>): Record<string, unknown> {
    while (!this.#ends()) {
      const event = this.#events[this.#next];
      if (event !== undefined && this.#isMerge(event)) {
        this.#next++;
        this.#merge(object);
        continue;
      }
      const given = this.#value();
      const key = keyText(given);
      const at = this.#next;
      const value = this.#value();
      if (Object.hasOwn(object, key)) this.#repeated(given, at);
      setOwn(object, key, value);
    }
    this.#next++;
    return object;
  }

  #isMerge(event: Event): boolean {
    if (event.type !== this.#yaml.EVENT_ID.SCALAR || event.style !== this.#yaml.SCALAR_STYLE.PLAIN) return false;
    return event.tagStart < 0 && this.#text.slice(event.valueStart, event.valueEnd) === "<<";
  }

  #merge(object: Record<string, unknown>): void {
    const merged = this.#value();
    const sources = Array.isArray(merged) ? merged.toReversed() : [merged];
    for (const source of sources) {
      if (typeof source !== "object" || source === null || Array.isArray(source)) {
        throw new DecodeError("yaml: map merge requires map or sequence of maps as the value");
      }
      for (const [key, value] of Object.entries(source)) setOwn(object, key, value);
    }
  }

  #anchored<T>(event: SequenceEvent | MappingEvent, build: () => T): T {
    const name = this.#remember(event);
    if (name === undefined) return build();
    this.#open.add(name);
    const value = build();
    this.#open.delete(name);
    return value;
  }

  #remember({ anchorStart, anchorEnd }: ScalarEvent | SequenceEvent | MappingEvent): string | undefined {
    if (anchorStart < 0) return undefined;
    const name = this.#text.slice(anchorStart, anchorEnd);
    this.#anchors.set(name, this.#next - 1);
    return name;
  }

  #alias<T>(event: AliasEvent, build: () => T): T {
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const start = this.#anchors.get(name);
    if (start === undefined) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
    if (this.#open.has(name)) throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
    const back = this.#next;
    const before = this.#nodes;
    const textBefore = this.#scalarText;
    this.#next = start;
    const value = build();
    this.#next = back;
    this.#aliasNodes += this.#nodes - before;
    this.#aliasText += this.#scalarText - textBefore;
    return value;
  }

  #count(): void {
    this.#nodes++;
    if (this.#aliasNodes > maxAliasNodes || this.#aliasText > maxAliasText || this.#nodes > this.#events.length + 2 * maxAliasNodes) {
      throw new DecodeError("yaml: document contains excessive aliasing");
    }
  }

  #take(): Event | undefined {
    return this.#events[this.#next++];
  }

  #ends(): boolean {
    const event = this.#events[this.#next];
    return event === undefined || event.type === this.#yaml.EVENT_ID.POP;
  }

  #repeated(key: unknown, event: number): void {
    if (this.repeats.length >= maxRepeats) return;
    const shown = typeof key === "string" ? goQuote(key) : String(key);
    this.repeats.push(`line ${this.#lineOf(this.#events[event])}: key ${shown} already set in map`);
  }

  #lineOf(event: Event | undefined): number {
    const at =
      event === undefined ? -1 : "valueStart" in event ? event.valueStart - this.#header(event) : "start" in event ? event.start : -1;
    let line = 1;
    for (let i = this.#text.indexOf("\n"); i >= 0 && i < at; i = this.#text.indexOf("\n", i + 1)) line++;
    return line;
  }

  /** A block's text starts on the line after its `|` or `>`. */
  #header({ style }: ScalarEvent): number {
    const { LITERAL_BLOCK, FOLDED_BLOCK } = this.#yaml.SCALAR_STYLE;
    return style === LITERAL_BLOCK || style === FOLDED_BLOCK ? 1 : 0;
  }
}

/** A tab may not begin a line, not even one that says nothing. */
function refuseIndentingTab(text: string): void {
  const line = text.split("\n").findIndex((one) => /^ *\t/.test(one));
  if (line >= 0) throw new DecodeError(`yaml: ${line === 0 ? "" : `line ${line + 1}: `}${strayTab}`);
}

const strayTab = "found character that cannot start any token";

type Parsed = { readonly text: string; readonly events: readonly Event[] };

/**
 * Kubernetes does not look at how the lines of a quoted text or of a `[` or `{` are indented, where it means nothing; the
 * parser wants them deeper than their key. Each line that it complains of is moved, and the text read again: in real files
 * that is one line or two, and `maxRead` characters are read in all.
 */
function parseLeniently(yaml: JsYaml, given: string): Parsed {
  let text = given;
  for (let read = text.length; ; read += text.length) {
    try {
      return { text, events: yaml.parseEvents(text, { maxDepth }) };
    } catch (error) {
      if (!(error instanceof yaml.YAMLException)) throw new DecodeError("yaml: exceeded max depth");
      const { mark, reason } = error;
      const tolerable = mark !== undefined && reason === "deficient indentation" && read < maxRead;
      if (!tolerable)
        throw new DecodeError(`yaml: ${mark === undefined ? "" : `line ${mark.line + 1}: `}${goReasons.get(reason) ?? reason}`);
      text = indented(text, mark.line);
    }
  }
}

const maxRead = 4_000_000;

/** Where Go's parser has words of its own. */
const goReasons: ReadonlyMap<string, string> = new Map([["tab characters must not be used in indentation", strayTab]]);

/** The text with one line, counted from 0, deeper than any key before it. */
function indented(text: string, line: number): string {
  let start = 0;
  let depth = 0;
  for (let i = 0; i < line; i++) {
    depth = Math.max(depth, /^[ ?-]*/.exec(text.slice(start, start + maxDepth))?.[0].length ?? 0);
    start = text.indexOf("\n", start) + 1;
  }
  return `${text.slice(0, start)}${" ".repeat(depth + 1)}${text.slice(start)}`;
}

const hasSlashEscape = (quoted: string): boolean => quoted.includes("\\/") && /(?<!\\)(?:\\\\)*\\\//.test(quoted);

/** JSON's keys are strings. */
function keyText(key: unknown): string {
  if (typeof key === "string") return key;
  if (typeof key === "number" || typeof key === "bigint" || typeof key === "boolean") return String(key);
  if (key === null) throw new DecodeError("unsupported map key of type: %!s(<nil>), key: <nil>");
  throw new DecodeError("yaml: invalid map key");
}

const goFloat = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
