/** A client of the test double: it calls, its request takes effect, it is answered; between these anything else may happen. */
import type { Random } from "../../fuzz/harness/random.ts";
import type { Bug, Server, Store, WriteRequest, WriteResult } from "./double-store.ts";
import type { Get, List, Operation, ReadAt, Version } from "./history.ts";

export interface ClientOptions {
  readonly name: string;
  readonly random: Random;
  readonly bug: Bug | undefined;
  readonly store: Store;
  readonly servers: readonly Server[];
  readonly keys: readonly string[];
  readonly nextId: () => number;
  readonly record: (operation: Operation) => void;
  /** Keeps a write that may take effect when nobody waits for it. */
  readonly late: (write: () => void) => void;
}

/** What is left to do; each call is at another moment, and `true` ends it. */
type Step = (time: number) => boolean;

type ReadRequest = Omit<Get, "outcome" | "return" | "do"> & { readonly do: "get" | "list"; readonly server: string };

export class DoubleClient {
  readonly #options: ClientOptions;
  #steps: Step[] = [];
  /** The newest version of each key that it has seen. */
  readonly #seen = new Map<string, number>();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#steps.length === 0;
  }

  step(time: number): void {
    const [next] = this.#steps;
    if (next === undefined) this.#begin(time);
    else if (next(time)) this.#steps.shift();
  }

  #begin(call: number): void {
    const { random, servers, keys, name, nextId } = this.#options;
    const server = random.pick(servers);
    const request = { type: "operation" as const, id: nextId(), client: name, server: server.name, call, key: random.pick(keys) };
    const chosen = random.below(10);
    if (chosen < 4) this.#read({ ...request, do: chosen < 3 ? "get" : "list", at: this.#chooseAt() }, server);
    else this.#write(this.#chooseWrite(request, chosen), server);
  }

  #chooseAt(): ReadAt {
    const { random } = this.#options;
    return random.oneIn(4) ? (random.oneIn(2) ? "0" : Math.max(0, ...this.#seen.values())) : "";
  }

  #chooseWrite(request: Omit<WriteRequest, "do">, chosen: number): WriteRequest {
    const { random } = this.#options;
    const token = `w${request.id}`;
    const value = random.oneIn(2) ? `odd ${token}` : token;
    const seen = this.#seen.get(request.key);
    const expected = seen === undefined ? {} : { expectedRevision: seen };
    if (seen === undefined || chosen === 4) return { ...request, do: "create", value };
    if (chosen === 5) return { ...request, do: "patch", token };
    if (chosen === 6) return { ...request, do: "delete", ...(random.oneIn(2) ? expected : {}) };
    return { ...request, do: "update", value, ...expected };
  }

  #write(request: WriteRequest, server: Server): void {
    const { random, late, record, bug, store } = this.#options;
    const apply = (): WriteResult => {
      const isStale = bug === "stale-precondition" && request.do === "update";
      const result = store.write(request, isStale ? server.get(request.key) : undefined);
      if (result.kind === "failed" || bug !== "retry-reports-failure" || !random.oneIn(10)) return result;
      const again = store.write(request);
      return again.kind === "failed" ? again : result;
    };
    const finish =
      (outcome: Operation["outcome"]): Step =>
      (time) => {
        record({ ...request, return: time, outcome } as Operation);
        return true;
      };
    const forgotten = random.below(30);
    if (forgotten < 2) {
      // Its answer is lost, or it is on its way for long; else it never arrives.
      if (forgotten === 0) late(() => void store.write(request));
      else if (random.oneIn(2)) this.#steps.push(() => store.write(request) !== undefined);
      this.#steps.push(finish({ kind: "unknown" }));
      return;
    }
    this.#steps.push((time) => {
      const result = apply();
      if (result.kind === "ok" && request.do === "delete") this.#seen.delete(request.key);
      else if (result.kind === "ok") this.#seen.set(request.key, result.revision);
      else if (result.reason === "NotFound") this.#seen.delete(request.key);
      const hidesRevision = result.kind === "ok" && request.do === "delete" && random.oneIn(3);
      this.#steps.push(finish(hidesRevision ? { kind: "ok" } : result));
      return time > 0;
    });
  }

  #read(request: ReadRequest, server: Server): void {
    const { store, bug } = this.#options;
    let oldest = request.at === "" || request.at === "0" ? 0 : request.at;
    if (request.at === "" && bug !== "stale-read") {
      this.#steps.push(() => {
        oldest = store.revision;
        return true;
      });
    }
    let first: readonly Version[] | undefined;
    this.#steps.push(() => {
      if (server.revision < Math.min(oldest, store.revision)) {
        server.follow();
        return false;
      }
      if (server.revision < oldest) {
        // Too large a resourceVersion: a crash has taken revisions back.
        this.#steps.push(this.#answered(request, { kind: "failed", reason: "Other" }));
        return true;
      }
      if (request.do === "list" && bug === "torn-list" && first === undefined) {
        first = server.list();
        return false;
      }
      this.#steps.push(request.do === "get" ? this.#got(request, server.get(request.key)) : this.#listed(request, server, first));
      return true;
    });
  }

  #got(request: ReadRequest, item: Version | undefined): Step {
    if (item === undefined) this.#seen.delete(request.key);
    else this.#seen.set(request.key, item.revision);
    const outcome: Get["outcome"] = item === undefined ? { kind: "failed", reason: "NotFound" } : { kind: "ok", item };
    return this.#answered(request, outcome);
  }

  /** With a first half that was read before, if there is one. */
  #listed(request: ReadRequest, server: Server, first: readonly Version[] | undefined): Step {
    const last = this.#options.keys[0] ?? "";
    const now = server.list();
    const items = first === undefined ? now : [...first.filter(({ key }) => key <= last), ...now.filter(({ key }) => key > last)];
    const outcome: List["outcome"] = { kind: "ok", revision: server.revision, items };
    for (const item of items) this.#seen.set(item.key, item.revision);
    return this.#answered(request, outcome);
  }

  #answered(request: ReadRequest, outcome: Get["outcome"] | List["outcome"]): Step {
    const { key, ...withoutKey } = request;
    return (time) => {
      const answered = { ...withoutKey, ...(request.do === "get" ? { key } : {}), outcome, return: time };
      this.#options.record(answered as Operation);
      return true;
    };
  }
}
