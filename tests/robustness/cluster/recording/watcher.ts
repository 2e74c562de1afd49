/** A client that watches for ever: what ends is begun again, there or on another server, from what it has seen. */
import { setTimeout as pause } from "node:timers/promises";
import type { TransportResponse } from "@coxswain/client";
import { type Filter, tokensOf, type Version, type WatchItem } from "../history.ts";
import type { Participant, Target } from "./recorder.ts";
import { type ApiObject, namespacePath, selectedToken, send, versionOf } from "./requests.ts";

export interface WatcherOptions extends Participant {
  readonly filter: Filter;
  /** As long as it resolves late, nothing more is read. */
  readonly beforeRead?: () => Promise<unknown>;
}

interface StreamEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: ApiObject & { readonly code?: number };
}

/** Between attempts that come to nothing. */
const pauseMs = 100;
/** The last bookmark comes two seconds before a watch ends. */
const timeoutsSeconds = [3, 4, 60] as const;

export class RecordingWatcher {
  readonly #options: WatcherOptions;
  readonly #path: string;
  #target: Target;
  /** What comes after it is wanted. */
  #position = 0;
  #isExpired = false;
  /** Tokens that an event has brought. */
  readonly #tokens = new Set<string>();
  #seenToken: { readonly token: string; readonly resolve: () => void } | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#target = options.random.pick(options.targets);
    this.#path = namespacePath(options.recorder.namespace);
  }

  get name(): string {
    return this.#options.name;
  }

  /** Resolves when an event has brought the token. */
  seen(token: string): Promise<void> {
    if (this.#tokens.has(token)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#seenToken = { token, resolve };
    });
  }

  /** Until aborted; its reason becomes the end of the last stream. */
  async run(signal: AbortSignal): Promise<void> {
    const { random, targets } = this.#options;
    while (!signal.aborted) {
      const went = this.#isExpired ? await this.#relist(signal) : await this.#stream(signal);
      if (!went && !signal.aborted) await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      if (!went || random.oneIn(2)) this.#target = random.pick(targets);
    }
  }

  /** False where it did not come about. */
  async #stream(signal: AbortSignal): Promise<boolean> {
    const { recorder, name, filter, random } = this.#options;
    const from = this.#position;
    const query = [
      ...["watch=1", "allowWatchBookmarks=true", `timeoutSeconds=${random.pick(timeoutsSeconds)}`],
      ...[`resourceVersion=${from + recorder.base}`, ...selectorOf(filter)],
    ];
    const stop = new AbortController();
    const response = await this.#open(query, AbortSignal.any([signal, stop.signal]));
    if (response === undefined) return false;
    const { items } = recorder.beginWatch({ client: name, server: this.#target.name, from, filter });
    let by: "stopped" | "closed" = "closed";
    try {
      for await (const event of this.#events(response)) {
        const item = this.#itemOf(event);
        items.push(item);
        if (item.kind === "error") break;
        // As a client that moves to another server, from a bookmark or in the middle.
        if (random.oneIn(item.kind === "bookmark" ? 2 : 40)) {
          by = "stopped";
          break;
        }
      }
    } catch {
      if (signal.aborted) by = "stopped";
    } finally {
      stop.abort();
    }
    const isFinished = signal.aborted && signal.reason === "finished";
    items.push({ kind: "end", time: recorder.now(), by: isFinished ? "finished" : by });
    return true;
  }

  async #open(query: readonly string[], signal: AbortSignal): Promise<TransportResponse | undefined> {
    try {
      const path = `${this.#path}?${query.join("&")}`;
      const asked = this.#target.transport.send({ method: "GET", path, headers: { accept: "application/json" }, signal });
      const response = await within(3_000, asked);
      if (response === undefined || response.status === 200) return response;
      response.cancel();
      if (response.status === 410) this.#isExpired = true;
      return undefined;
    } catch {
      return undefined;
    }
  }

  #itemOf({ type, object }: StreamEvent): WatchItem {
    const { recorder } = this.#options;
    const time = recorder.now();
    if (type === "ERROR") {
      if (object.code === 410) this.#isExpired = true;
      return { kind: "error", time, code: object.code ?? 0 };
    }
    if (type === "BOOKMARK") {
      this.#position = Number(object.metadata.resourceVersion) - recorder.base;
      return { kind: "bookmark", time, revision: this.#position };
    }
    const version = versionOf(object, recorder.base);
    this.#took(version);
    return { kind: "event", time, event: type, object: version };
  }

  #took({ value, revision }: Version): void {
    this.#position = Math.max(this.#position, revision);
    for (const token of tokensOf(value)) this.#tokens.add(token);
    if (this.#seenToken !== undefined && this.#tokens.has(this.#seenToken.token)) this.#seenToken.resolve();
  }

  async *#events(response: TransportResponse): AsyncGenerator<StreamEvent, void, undefined> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.chunks()) {
      await this.#options.beforeRead?.();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as StreamEvent;
    }
  }

  /** As a reflector: what is there now, and on from there. False where no list came. */
  async #relist(signal: AbortSignal): Promise<boolean> {
    const { random, filter, recorder, name } = this.#options;
    // Only a list of everything can be compared with the state.
    if (filter.key === undefined && filter.token === undefined && random.oneIn(2)) return await this.#watchList(signal);
    const asked = { client: name, server: this.#target.name, call: recorder.now() };
    const answer = await send(this.#target.transport, { method: "GET", path: this.#path, timeoutMs: 3_000 });
    if (typeof answer !== "object" || answer.status !== 200) return false;
    const revision = Number(answer.body.metadata?.resourceVersion) - recorder.base;
    const items = (answer.body.items ?? []).map((item) => versionOf(item, recorder.base));
    recorder.record({ ...asked, do: "list", at: "", outcome: { kind: "ok", revision, items } });
    this.#begin(revision, items);
    return true;
  }

  /** The same in one stream: objects that are there, up to the bookmark that says so. */
  async #watchList(signal: AbortSignal): Promise<boolean> {
    const { recorder, name } = this.#options;
    const asked = { client: name, server: this.#target.name, call: recorder.now() };
    const query = ["watch=1", "allowWatchBookmarks=true", "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan"];
    const stop = new AbortController();
    const response = await this.#open(query, AbortSignal.any([signal, stop.signal, AbortSignal.timeout(3_000)]));
    if (response === undefined) return false;
    const items: Version[] = [];
    try {
      for await (const { type, object } of this.#events(response)) {
        if (type === "ERROR") return false;
        if (object.metadata.annotations?.["k8s.io/initial-events-end"] === "true") {
          const revision = Number(object.metadata.resourceVersion) - recorder.base;
          recorder.record({ ...asked, do: "list", at: "", outcome: { kind: "ok", revision, items } });
          this.#begin(revision, items);
          return true;
        }
        items.push(versionOf(object, recorder.base));
      }
    } catch {
      return false;
    } finally {
      stop.abort();
    }
    return false;
  }

  #begin(revision: number, items: readonly Version[]): void {
    for (const item of items) this.#took(item);
    this.#position = revision;
    this.#isExpired = false;
  }
}

const selectorOf = ({ key, token }: Filter): readonly string[] => [
  ...(key === undefined ? [] : [`fieldSelector=metadata.name%3D${key}`]),
  ...(token === undefined ? [] : [`labelSelector=${selectedToken}`]),
];

/** Undefined where it takes longer; what comes later is given up. */
async function within(ms: number, asked: Promise<TransportResponse>): Promise<TransportResponse | undefined> {
  const late = new AbortController();
  const first = await Promise.race([asked, pause(ms, undefined, { signal: late.signal }).catch(() => undefined)]);
  if (first === undefined) asked.then((response) => response.cancel()).catch(() => undefined);
  late.abort();
  return first;
}
