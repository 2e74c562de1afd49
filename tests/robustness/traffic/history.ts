/** What has truly happened on the server, and whether what clients observed agrees with it. */
import assert from "node:assert/strict";
import type { api, WatchEvent } from "@coxswain/client";

export type ConfigMap = api.coreV1.ConfigMap;
export type Event = WatchEvent<ConfigMap>;
type Selector = (object: ConfigMap) => boolean;

export interface Step {
  readonly version: number;
  readonly name: string;
  readonly before: ConfigMap | undefined;
  readonly after: ConfigMap | undefined;
}

/** What a client knows of one of its requests. All that happens in the test is counted, so that it has an order. */
export interface Delivered {
  readonly by: string;
  readonly begun: number;
  readonly ended: number;
  readonly name: string;
  readonly result:
    | { readonly kind: "written"; readonly version: number; readonly token: string }
    | { readonly kind: "deleted" | "unknown" | "refused"; readonly token?: string }
    /** Without a version: there was none of this name. `after`: it must be no older than this. */
    | { readonly kind: "read"; readonly version: number | undefined; readonly after?: number };
}

export const versionOf = (object: ConfigMap | undefined): number => Number(object?.metadata?.resourceVersion);
const nameOf = (object: ConfigMap | undefined): string => object?.metadata?.name ?? "";

export class History {
  readonly #steps: Step[] = [];
  readonly #begin: readonly ConfigMap[];
  readonly #beginAt: number;

  /** From a watch on which nothing goes wrong. */
  constructor(events: readonly Event[]) {
    const [listed, ...rest] = events;
    assert.ok(listed?.type === "LISTED");
    this.#begin = listed.items;
    this.#beginAt = Number(listed.resourceVersion);
    const state = new Map(listed.items.map((item) => [nameOf(item), item]));
    for (const event of rest) {
      assert.ok(event.type !== "LISTED", "the true watch is never interrupted");
      if (event.type === "BOOKMARK") continue;
      const { object } = event;
      const name = nameOf(object);
      const after = event.type === "DELETED" ? undefined : object;
      const last = this.#steps.at(-1);
      assert.ok(versionOf(object) > (last?.version ?? this.#beginAt), "versions only grow");
      this.#steps.push({ version: versionOf(object), name, before: state.get(name), after });
      if (after === undefined) state.delete(name);
      else state.set(name, after);
    }
  }

  get end(): number {
    return this.#steps.at(-1)?.version ?? this.#beginAt;
  }

  stateAt(version: number, selects: Selector = () => true): readonly ConfigMap[] {
    const state = new Map(this.#begin.map((item) => [nameOf(item), item]));
    for (const { version: at, name, after } of this.#steps) {
      if (at > version) break;
      if (after === undefined) state.delete(name);
      else state.set(name, after);
    }
    return [...state.values()].filter(selects).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  /** In its order, each event once, none missing; a new list where the history was lost shows one moment, and none from before. */
  checkWatch(events: readonly Event[], selects: Selector): void {
    let position: number | undefined;
    for (const event of events) {
      if (event.type === "LISTED") {
        const at = Number(event.resourceVersion);
        assert.ok(position === undefined || at >= position, "a list goes back in time");
        assert.deepEqual(event.items.map(brief).sort(), this.stateAt(at, selects).map(brief).sort(), `the list at ${at}`);
        position = at;
        continue;
      }
      assert.ok(position !== undefined, "a watch begins with a list");
      const next = this.#eventsAfter(position, selects)[0];
      if (event.type === "BOOKMARK") {
        const at = Number(event.resourceVersion);
        assert.ok(at >= position && (next === undefined || next.version > at), `the bookmark at ${at} passes over something`);
        position = at;
        continue;
      }
      assert.deepEqual({ type: event.type, version: versionOf(event.object), name: nameOf(event.object) }, next);
      position = versionOf(event.object);
    }
    assert.deepEqual(this.#eventsAfter(position ?? 0, selects), [], "what was never delivered");
  }

  #eventsAfter(position: number, selects: Selector): { readonly type: string; readonly version: number; readonly name: string }[] {
    return this.#steps.flatMap(({ version, name, before, after }) => {
      if (version <= position) return [];
      const [was, is] = [before !== undefined && selects(before), after !== undefined && selects(after)];
      if (!was && !is) return [];
      return { type: was ? (is ? "MODIFIED" : "DELETED") : "ADDED", version, name };
    });
  }

  /** Each write adds its token to what was there, so that a lost update loses one, and one that is done twice adds none. */
  checkTokens(delivered: readonly Delivered[]): void {
    const added = new Map<string, Step>();
    for (const step of this.#steps) {
      if (step.after === undefined) continue;
      const [before, after] = [tokensIn(step.before), tokensIn(step.after)];
      const fresh = [...after].filter((token) => !before.has(token));
      assert.ok(after.isSupersetOf(before), `the write at ${step.version} lost something`);
      assert.equal(fresh.length, 1, `the write at ${step.version} adds ${fresh.join(", ") || "nothing"}`);
      const [token = ""] = fresh;
      assert.ok(!added.has(token), `${token} was written twice`);
      added.set(token, step);
    }
    for (const { result } of delivered) {
      if (result.kind === "written") assert.equal(added.get(result.token)?.version, result.version, `${result.token} was written`);
      if (result.kind === "refused" && result.token !== undefined) assert.ok(!added.has(result.token), `${result.token} was refused`);
    }
  }

  /**
   * Linearizable: there is a moment between its begin and its end at which each request did what it says. The server's
   * versions are that order, if none contradicts what clients know of before and after.
   */
  checkOrder(delivered: readonly Delivered[]): void {
    for (const one of delivered) {
      const written = (other: Delivered): number => (other.result.kind === "written" ? other.result.version : Number.NaN);
      const earliest = Math.max(
        this.#beginAt,
        ...delivered
          .filter(({ ended }) => ended < one.begun)
          .map(written)
          .filter(Number.isFinite),
      );
      const latest = Math.min(
        this.end,
        ...delivered
          .filter(({ begun }) => begun > one.ended)
          .map((other) => written(other) - 1)
          .filter(Number.isFinite),
      );
      const { result, name, by } = one;
      const what = `${by}, requests ${one.begun} to ${one.ended}, between ${earliest} and ${latest}`;
      if (result.kind === "written")
        assert.ok(earliest < result.version && result.version <= latest, `${what}: a write at ${result.version}`);
      if (result.kind === "deleted") {
        const gone = this.#steps.some(
          (step) => step.name === name && step.after === undefined && step.version > earliest && step.version <= latest,
        );
        assert.ok(gone, `${what}: a deletion of ${name}`);
      }
      if (result.kind !== "read") continue;
      // A cache shows what was, but nothing from before what its owner wrote.
      const from = result.after ?? earliest;
      assert.ok(this.#versionsOf(name, from, latest).has(result.version), `${what}: ${name} read at ${result.version}, from ${from} on`);
    }
  }

  /** Those that a client may have seen in that time; undefined for none. */
  #versionsOf(name: string, from: number, to: number): ReadonlySet<number | undefined> {
    const first = this.stateAt(from).find((object) => nameOf(object) === name);
    const versions = new Set<number | undefined>([first === undefined ? undefined : versionOf(first)]);
    for (const step of this.#steps)
      if (step.name === name && step.version > from && step.version <= to)
        versions.add(step.after === undefined ? undefined : step.version);
    return versions;
  }
}

const brief = (object: ConfigMap): string => `${nameOf(object)} at ${versionOf(object)}`;

const tokensIn = (object: ConfigMap | undefined): ReadonlySet<string> => new Set(Object.keys(object?.data ?? {}));
