/** A client that reads and writes at random, and records what it asked and was answered. */
import { setTimeout as pause } from "node:timers/promises";
import type { Failed, Get, List, ReadAt, Version, Write } from "../history.ts";
import type { Participant, Target } from "./recorder.ts";
import {
  type Answer,
  type ApiObject,
  failureOf,
  namespacePath,
  objectOf,
  type Padding,
  patchOf,
  type Sent,
  selectedToken,
  send,
  versionOf,
  writeOutcome,
} from "./requests.ts";

export interface ClientOptions extends Participant {
  readonly keys: readonly string[];
  readonly padding: Padding;
  /** On average between two operations. */
  readonly pauseMs: number;
  /** One server, or another for each operation. */
  readonly isBound: boolean;
}

/** Before another attempt to reach a server that is not there. */
const unsentPauseMs = 200;

/** What is asked of a server, as a record begins. */
interface Asked {
  readonly client: string;
  readonly server: string;
  readonly call: number;
}

/** Which resourceVersion a read names, and as Kubernetes' parameter. */
interface Chosen {
  readonly at: ReadAt;
  readonly isExact?: true;
  readonly query: readonly string[];
}

export class RecordingClient {
  readonly #options: ClientOptions;
  readonly #path: string;
  readonly #bound: Target;
  /** The newest version of each key that it has seen. */
  readonly #seen = new Map<string, Version>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#path = namespacePath(options.recorder.namespace);
    this.#bound = options.random.pick(options.targets);
  }

  /** Until aborted; what has been asked by then is waited for. */
  async run(signal: AbortSignal): Promise<void> {
    const { random, pauseMs } = this.#options;
    while (!signal.aborted) {
      await this.step();
      await pause(random.below(2 * pauseMs));
    }
  }

  async step(): Promise<void> {
    const { random, keys, isBound, targets } = this.#options;
    const target = isBound ? this.#bound : random.pick(targets);
    const key = random.pick(keys);
    const chosen = random.below(20);
    if (chosen < 4) await this.get(target, key, this.#chooseAt());
    else if (chosen < 6) await this.list(target, this.#chooseAt());
    else if (chosen < 7) await this.list(target, this.#chooseAt(), 1 + random.below(3));
    else await this.write(target, key, chosen);
  }

  async get(target: Target, key: string, { at, query }: Omit<Chosen, "isExact">): Promise<void> {
    const asked = this.#begin(target);
    const answer = await this.#send(target, { method: "GET", path: `${this.#path}/${key}${queryOf(query)}` });
    const outcome: Get["outcome"] =
      typeof answer === "object" && answer.status === 200
        ? { kind: "ok", item: versionOf(answer.body as ApiObject, this.#options.recorder.base) }
        : failureOf(answer, "get");
    if (outcome.kind === "ok") this.#remember(outcome.item);
    else if (isAbsent(outcome)) this.#seen.delete(key);
    this.#options.recorder.record({ ...asked, do: "get", key, at, outcome });
  }

  /** With a limit page by page, which are one list of one revision. */
  async list(target: Target, { at, isExact, query }: Chosen, limit?: number): Promise<void> {
    const { recorder } = this.#options;
    const asked = this.#begin(target);
    const items: ApiObject[] = [];
    let revision: string | undefined;
    let outcome: List["outcome"] | undefined;
    for (let next = limit === undefined ? query : [...query, `limit=${limit}`]; outcome === undefined; ) {
      const answer: Answer = await this.#send(target, { method: "GET", path: `${this.#path}${queryOf(next)}` });
      if (typeof answer !== "object" || answer.status !== 200) outcome = failureOf(answer, "list");
      else {
        const { resourceVersion, continue: token } = answer.body.metadata as { resourceVersion: string; continue?: string };
        items.push(...(answer.body.items ?? []));
        if (revision !== undefined && revision !== resourceVersion)
          throw new Error(`a page at ${resourceVersion} follows one at ${revision}`);
        revision = resourceVersion;
        next = [`limit=${limit}`, `continue=${encodeURIComponent(token ?? "")}`];
        if (token === undefined || token === "")
          outcome = { kind: "ok", revision: Number(revision) - recorder.base, items: items.map((item) => versionOf(item, recorder.base)) };
      }
    }
    if (outcome.kind === "ok") for (const item of outcome.items) this.#remember(item);
    recorder.record({ ...asked, do: "list", at, ...(isExact === undefined ? {} : { isExact }), outcome });
  }

  async write(target: Target, key: string, chosen: number): Promise<Write["outcome"]> {
    const { recorder, random, padding } = this.#options;
    const token = recorder.nextToken();
    const value = random.oneIn(2) ? `${selectedToken} ${token}` : token;
    const seen = this.#seen.get(key);
    const path = `${this.#path}/${key}`;
    const resourceVersion = seen === undefined ? undefined : String(seen.revision + recorder.base);
    const expected = seen === undefined ? {} : { expectedRevision: seen.revision };
    if (seen === undefined || chosen === 7) {
      const body = objectOf(key, value, padding);
      return await this.#write(target, { do: "create", key, value }, { method: "POST", path: this.#path, body });
    }
    if (chosen < 12) {
      const how = random.pick(["merge", "json", "apply"] as const);
      if (how === "apply") return await this.apply(target, key);
      const [contentType, body] = patchOf({ how, name: key, token, padding, seen: random.pick(seen.value.split(" ")) });
      return await this.#write(target, { do: "patch", key, token }, { method: "PATCH", path, body, contentType });
    }
    if (chosen < 14) {
      const isConditional = random.oneIn(2);
      const body = isConditional ? { body: { apiVersion: "v1", kind: "DeleteOptions", preconditions: { resourceVersion } } } : {};
      return await this.#write(target, { do: "delete", key, ...(isConditional ? expected : {}) }, { method: "DELETE", path, ...body });
    }
    const isConditional = !random.oneIn(4);
    const body = objectOf(key, value, padding, isConditional ? resourceVersion : undefined);
    return await this.#write(target, { do: "update", key, value, ...(isConditional ? expected : {}) }, { method: "PUT", path, body });
  }

  create(target: Target, key: string): Promise<Write["outcome"]> {
    const value = this.#options.recorder.nextToken();
    const body = objectOf(key, value, this.#options.padding);
    return this.#write(target, { do: "create", key, value }, { method: "POST", path: this.#path, body });
  }

  apply(target: Target, key: string): Promise<Write["outcome"]> {
    const token = this.#options.recorder.nextToken();
    const [contentType, body] = patchOf({ how: "apply", name: key, token, padding: this.#options.padding });
    // A manager of its own, so that no apply takes away what another has added.
    const path = `${this.#path}/${key}?fieldManager=${token}`;
    return this.#write(target, { do: "apply", key, token }, { method: "PATCH", path, body, contentType });
  }

  /** Until it is there, whatever is there before. False where that does not come about. */
  async put(target: Target, key: string, value: string, attempts = 20): Promise<boolean> {
    const { padding, recorder } = this.#options;
    for (let attempt = 0; attempt < attempts; attempt++) {
      await this.get(target, key, newest);
      const seen = this.#seen.get(key);
      const body = objectOf(key, value, padding, seen === undefined ? undefined : String(seen.revision + recorder.base));
      const outcome = await (seen === undefined
        ? this.#write(target, { do: "create", key, value }, { method: "POST", path: this.#path, body })
        : this.#write(
            target,
            { do: "update", key, value, expectedRevision: seen.revision },
            { method: "PUT", path: `${this.#path}/${key}`, body },
          ));
      if (outcome.kind === "ok") return true;
      // Else it would no longer be told from what comes of the next attempt.
      if (outcome.kind === "unknown") return false;
      await pause(100);
    }
    return false;
  }

  async #write(target: Target, write: WriteOf, sent: Omit<Sent, "timeoutMs">): Promise<Write["outcome"]> {
    const { recorder } = this.#options;
    const asked = this.#begin(target);
    const answer = await this.#send(target, sent);
    const outcome = writeOutcome(answer, write.do, recorder.base);
    if (outcome.kind === "ok" && outcome.revision !== undefined)
      this.#remember({ key: write.key, value: outcome.value ?? "", revision: outcome.revision });
    else if ((outcome.kind === "ok" && write.do === "delete") || isAbsent(outcome)) this.#seen.delete(write.key);
    recorder.record({ ...asked, ...write, outcome });
    return outcome;
  }

  /** Some give up early, others wait for as long as a server may need to find out what became of a write. */
  async #send(target: Target, sent: Omit<Sent, "timeoutMs">): Promise<Answer> {
    const answer = await send(target.transport, { ...sent, timeoutMs: this.#options.random.pick([1_000, 3_000, 20_000]) });
    if (answer === "unsent") await pause(unsentPauseMs);
    return answer;
  }

  #begin(target: Target): Asked {
    const { name, recorder } = this.#options;
    return { client: name, server: target.name, call: recorder.now() };
  }

  #remember(version: Version): void {
    const before = this.#seen.get(version.key);
    if (before === undefined || before.revision < version.revision) this.#seen.set(version.key, version);
  }

  #chooseAt(): Chosen {
    const { random, recorder } = this.#options;
    if (random.oneIn(2)) return newest;
    const at = Math.max(0, ...[...this.#seen.values()].map(({ revision }) => revision));
    switch (random.below(3)) {
      case 0:
        return { at: "0", query: ["resourceVersion=0"] };
      case 1:
        return { at, query: [`resourceVersion=${at + recorder.base}`] };
      default:
        return { at, isExact: true, query: [`resourceVersion=${at + recorder.base}`, "resourceVersionMatch=Exact"] };
    }
  }
}

type WriteOf = Write extends infer T
  ? T extends Write
    ? Omit<T, "type" | "id" | "client" | "server" | "call" | "return" | "outcome">
    : never
  : never;

export const newest: Chosen = { at: "", query: [] };

const queryOf = (query: readonly string[]): string => (query.length === 0 ? "" : `?${query.join("&")}`);

const isAbsent = (outcome: { readonly kind: string } | Failed): boolean =>
  outcome.kind === "failed" && "reason" in outcome && outcome.reason === "NotFound";
