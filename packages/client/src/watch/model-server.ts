/** For tests: a server of one resource that answers as a script of mishaps says, and knows every state that it ever had. */
import { expired, failure, type KubeObject, tooLargeResourceVersion } from "@coxswain/machinery";
import { bytesOf, lost, type ScriptedAnswer, silence } from "../rest/scripted-transport.ts";
import type { TransportRequest } from "../transport/transport.ts";
import { bookmark, line, listAnswer, object } from "./watch-script.ts";

export const mishaps = [
  "none",
  "unreachable",
  "busy",
  "broken",
  "refused",
  "gone",
  "behind",
  "ends",
  "breaks off",
  "cut line",
  "garbage",
  "error",
  "gone in the middle",
  "unknown type",
  "bookmarks",
  "compacts",
] as const;

/** What happens to one request. */
export interface ScriptedMishap {
  readonly mishap: (typeof mishaps)[number];
  /** How many writes happen before the answer begins. */
  readonly before: number;
  /** How many during it; each a number that decides what is written. */
  readonly during: readonly number[];
}

interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  readonly version: number;
}

const names = ["a", "b", "c", "d", "e"];
const pageSize = 2;

export class ModelServer {
  /** By version: which version each object had. */
  readonly states: ReadonlyMap<string, number>[] = [new Map()];
  readonly #changes: Change[] = [];
  readonly #mishaps: ScriptedMishap[];
  #kept = 0;

  constructor(script: readonly ScriptedMishap[]) {
    this.#mishaps = [...script];
    for (let i = 0; i < 4; i++) this.write(i);
  }

  get version(): number {
    return this.states.length - 1;
  }

  get settled(): boolean {
    return this.#mishaps.length === 0;
  }

  write(seed: number): void {
    const name = names[seed % names.length] ?? "a";
    const state = new Map(this.states.at(-1));
    const version = this.version + 1;
    const known = state.has(name);
    const type = !known ? "ADDED" : seed % 3 === 0 ? "DELETED" : "MODIFIED";
    if (type === "DELETED") state.delete(name);
    else state.set(name, version);
    this.states.push(state);
    this.#changes.push({ type, object: object(name, version, "é\u{1F600}"), version });
  }

  answer({ path, signal }: TransportRequest): ScriptedAnswer {
    const scripted = this.#mishaps.shift() ?? { mishap: "none", before: 0, during: [] };
    for (let i = 0; i < scripted.before; i++) this.write(this.version * 7 + i);
    const query = new URLSearchParams(path.split("?")[1]);
    const refusal = refusalOf(scripted, this.version);
    if (refusal !== undefined) return refusal;
    if (query.get("watch") === null) return this.#list(query);
    const streams = query.get("sendInitialEvents") === "true";
    const from = streams ? this.version : Number(query.get("resourceVersion"));
    if (from < this.#kept) return { status: 410, body: expired("too old resource version").status };
    const initial = streams ? [...this.#objects(from).map((o) => line("ADDED", o)), bookmark(from, true)] : [];
    return { chunks: () => inPieces(this.#follow(from, initial, scripted, signal), scripted.before + 3) };
  }

  #objects(version: number): KubeObject[] {
    return [...(this.states[version] ?? [])].map(([name, at]) => object(name, at));
  }

  #list(query: URLSearchParams): ScriptedAnswer {
    const [version, offset] = (query.get("continue") ?? `${this.version}:0`).split(":").map(Number);
    if (version === undefined || offset === undefined || version < this.#kept) return { status: 410, body: expired("compacted").status };
    const all = this.#objects(version);
    const end = query.get("limit") === null ? all.length : offset + pageSize;
    const { body } = listAnswer(all.slice(offset, end), version);
    const metadata = { resourceVersion: String(version), ...(end < all.length ? { continue: `${version}:${end}` } : {}) };
    return { body: { ...(body as object), metadata } };
  }

  async *#follow(
    from: number,
    initial: readonly string[],
    { mishap, during }: ScriptedMishap,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<string> {
    yield* initial;
    let sent = from;
    for (const seed of during) {
      this.write(seed);
      yield* this.#since(sent);
      sent = this.version;
    }
    yield* this.#since(sent);
    sent = this.version;
    if (mishap === "none") {
      yield bookmark(sent);
      await silence(signal);
    }
    if (mishap === "compacts") {
      this.write(1);
      this.#kept = this.version;
    }
    yield endings[mishap]?.(sent) ?? "";
    if (mishap === "breaks off" || mishap === "cut line") throw lost();
  }

  #since(version: number): string[] {
    return this.#changes.filter((change) => change.version > version).map(({ type, object: changed }) => line(type, changed));
  }
}

function refusalOf({ mishap }: ScriptedMishap, version: number): ScriptedAnswer | undefined {
  switch (mishap) {
    case "unreachable":
      throw lost(true);
    case "busy":
      return { status: 429, headers: { "retry-after": "1" }, body: failure(429, "TooManyRequests", "busy").status };
    case "broken":
      return { status: 500, headers: { "content-type": "text/plain" }, body: "oops" };
    case "refused":
      return { status: 422, body: failure(422, "Invalid", "no").status };
    case "gone":
      return { status: 410, body: expired("gone").status };
    case "behind":
      return { status: 504, headers: { "retry-after": "1" }, body: tooLargeResourceVersion(version, version - 1).status };
    default:
      return undefined;
  }
}

const endings: Readonly<Partial<Record<ScriptedMishap["mishap"], (version: number) => string>>> = {
  "cut line": (version) => line("ADDED", object("z", version + 1)).slice(0, 30),
  garbage: () => "\u0000<html>\n",
  error: () => line("ERROR", failure(500, "InternalError", "oops").status),
  "gone in the middle": () => line("ERROR", expired("gone").status),
  "unknown type": (version) => line("RENAMED", object("z", version)),
  bookmarks: (version) => bookmark(version) + bookmark(version) + bookmark(version),
};

/** Of any size, also in the middle of a character. */
async function* inPieces(texts: AsyncIterable<string>, size: number): AsyncGenerator<Uint8Array> {
  for await (const text of texts) {
    const bytes = bytesOf(text);
    for (let at = 0; at < bytes.length; at += size * 16) yield bytes.subarray(at, at + size * 16);
  }
}
