import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../tests/scope.ts";
import type { RecordedChange } from "../changes/change-batch.ts";
import { decodeChangeBatch, encodeChangeBatch } from "../changes/change-batch.ts";
import { HistoryFile } from "./history-file.ts";

interface Step {
  readonly key: string;
  /** Undefined: it is deleted. */
  readonly text: string | undefined;
  readonly isLong: boolean;
}

const key = fc.tuple(fc.constantFrom("/r/a/", "/r/b/", "/s/"), fc.nat({ max: 5 })).map(([folder, n]) => `${folder}${n}`);
const step: fc.Arbitrary<Step> = fc.record({
  key,
  text: fc.option(fc.string({ maxLength: 12 }), { nil: undefined, freq: 4 }),
  isLong: fc.boolean(),
});
type Command =
  | { readonly do: "write"; readonly steps: readonly Step[] }
  | { readonly do: "prune"; readonly share: number }
  | { readonly do: "reopen" };
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ do: fc.constant("write" as const), steps: fc.array(step, { minLength: 1, maxLength: 12 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("prune" as const), share: fc.nat({ max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const) }) },
  ),
  { maxLength: 40, size: "max" },
);

/** What is plain to see: every state in full. */
class Model {
  readonly states: { readonly revision: number; readonly at: number; readonly values: ReadonlyMap<string, string> }[] = [];
  readonly changes: { readonly revision: number; readonly key: string; readonly at: number; readonly isDeletion: boolean }[] = [];

  get now(): ReadonlyMap<string, string> {
    return this.states.at(-1)?.values ?? new Map();
  }

  get revision(): number {
    return this.states.at(-1)?.revision ?? 1;
  }
}

const longText = (text: string, key: string): string =>
  `${"the same at the start of each version, and long enough to be copied ".repeat(3)}${text}${key.repeat(20)}`;

/** The change that a step is; undefined where it deletes what is not there. */
function changeOf(model: Model, { key: name, text, isLong }: Step, modified: Map<string, number>): RecordedChange | undefined {
  const before = model.now.get(name);
  if (text === undefined && before === undefined) return undefined;
  const revision = model.revision + 1;
  const at = 1_000 * revision;
  const value = text === undefined ? undefined : isLong ? longText(text, name) : text;
  const values = new Map(model.now);
  if (value === undefined) values.delete(name);
  else values.set(name, value);
  model.states.push({ revision, at, values });
  model.changes.push({ revision, key: name, at, isDeletion: value === undefined });
  const previous = before === undefined ? undefined : { revision: modified.get(name) ?? 0, value: Buffer.from(before) };
  modified.set(name, revision);
  const note = JSON.stringify({ user: `user-${revision % 3}`, requestId: `request-${revision}`, readAt: String(revision - 1) });
  return { revision, key: name, at, note, value: value === undefined ? undefined : Buffer.from(value), isSealed: false, previous };
}

function withFolder<T>(run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-history-"));
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const textOf = (value: Uint8Array): string => Buffer.from(value).toString();

/** Everything that can be asked, at each revision that is kept. */
function compare({ reader, recorded }: HistoryFile, model: Model, oldest: number): void {
  assert.equal(recorded, model.revision);
  for (const { revision, at, values } of model.states) {
    if (revision < oldest) {
      assert.throws(() => reader.get("/r/a/1", revision), /the history begins at resourceVersion/);
      continue;
    }
    const { entries, remaining } = reader.list("/r/", revision, { limit: 1_000 });
    const expected = [...values].filter(([name]) => name.startsWith("/r/")).sort(([a], [b]) => (a < b ? -1 : 1));
    assert.deepEqual(
      entries.map((entry) => [entry.key, textOf(entry.value)]),
      expected,
    );
    assert.equal(remaining, 0);
    assert.equal(reader.revisionAt(at), revision);
    assert.equal(reader.revisionAt(at + 999), revision);
  }
  const kept = model.changes.filter(({ revision }) => revision > oldest);
  const seen = reader.changes("", { after: oldest, limit: 10_000 });
  assert.deepEqual(
    seen.map(({ note: _, ...rest }) => rest),
    kept,
  );
  for (const { revision, note } of seen)
    assert.deepEqual(note, { user: `user-${revision % 3}`, requestId: `request-${revision}`, readAt: String(revision - 1) });
  for (const name of new Set(kept.map(({ key: one }) => one))) {
    const values = reader.valuesOf(name, { after: oldest, limit: 10_000 });
    const states = model.states.filter(({ revision }) => values.some((one) => one.revision === revision)).reverse();
    assert.deepEqual(
      values.map(({ value }) => (value === undefined ? undefined : textOf(value))),
      states.map(({ values: state }) => state.get(name)),
    );
  }
  const [first] = kept;
  if (first !== undefined) {
    const ofKey = reader.versionsOf(first.key, { after: oldest, limit: 10_000 }).map(({ revision }) => revision);
    assert.deepEqual(
      ofKey,
      kept
        .filter((one) => one.key === first.key)
        .map(({ revision }) => revision)
        .reverse(),
    );
  }
}

test("states, changes and times are those of a plain model, whatever is pruned and whenever the file is opened again", () => {
  fc.assert(
    fc.property(commands, (todo) =>
      withFolder((folder) => {
        const path = join(folder, "history.db");
        const model = new Model();
        const modified = new Map<string, number>();
        let file = new HistoryFile(path);
        let oldest = 1;
        file.begin([], 1, 0);
        try {
          for (const command of todo) {
            if (command.do === "write") {
              const changes = command.steps.flatMap((one) => changeOf(model, one, modified) ?? []);
              file.record(decodeChangeBatch(encodeChangeBatch(changes)), model.revision);
            } else if (command.do === "prune") {
              const state = model.states[Math.floor((model.states.length * command.share) / 4)];
              while (state !== undefined && file.prune({ maxAgeMs: 0 }, state.at));
              const before = oldest;
              oldest = file.status().oldest ?? 0;
              assert.ok(oldest === before || oldest < (state?.revision ?? 0), "what is young enough is kept");
            } else {
              file[Symbol.dispose]();
              file = new HistoryFile(path);
            }
          }
          if (model.states.length > 0) compare(file, model, oldest);
        } finally {
          file[Symbol.dispose]();
        }
      }),
    ),
    { numRuns: propertyRuns(120) },
  );
});

test("what happened while nothing was recorded is a gap: nobody is told what was then, and all is right again behind it", () =>
  withFolder((folder) => {
    using file = new HistoryFile(join(folder, "history.db"));
    const put = (revision: number, name: string, text: string | undefined): RecordedChange => ({
      ...{ revision, key: name, at: revision * 1_000, note: undefined, isSealed: false, previous: undefined },
      value: text === undefined ? undefined : Buffer.from(text),
    });
    file.begin([put(5, "/a", "one"), put(7, "/b", "two")], 10, 10_000);
    file.record([put(11, "/c", "three")], 12);
    file.begin([put(7, "/b", "two"), put(17, "/c", "changed"), put(18, "/d", "new")], 20, 20_000);
    file.record([put(21, "/b", undefined)], 21);
    const at = (revision: number): unknown =>
      file.reader.list("/", revision, { limit: 10 }).entries.map(({ key: name, modified, value }) => [name, modified, textOf(value)]);
    assert.throws(() => at(9), /the history begins at resourceVersion 10/);
    assert.deepEqual(at(10), [
      ["/a", 5, "one"],
      ["/b", 7, "two"],
    ]);
    assert.deepEqual(at(12), [
      ["/a", 5, "one"],
      ["/b", 7, "two"],
      ["/c", 11, "three"],
    ]);
    assert.throws(() => at(13), /it was not recorded what happened between the resourceVersions 12 and 20/);
    assert.throws(() => at(19), /it was not recorded/);
    assert.deepEqual(at(20), [
      ["/b", 7, "two"],
      ["/c", 17, "changed"],
      ["/d", 18, "new"],
    ]);
    assert.deepEqual(at(21), [
      ["/c", 17, "changed"],
      ["/d", 18, "new"],
    ]);
  }));

test("recording again what is there already changes nothing", () =>
  withFolder((folder) => {
    using file = new HistoryFile(join(folder, "history.db"));
    const change: RecordedChange = {
      revision: 2,
      key: "/a",
      at: 0,
      note: undefined,
      value: Buffer.from("x"),
      isSealed: false,
      previous: undefined,
    };
    file.begin([], 1, 0);
    file.record([change], 2);
    const before = file.status();
    file.record([change], 2);
    assert.deepEqual(file.status(), before);
  }));

test("nobody but its owner may read the file, nor what SQLite keeps beside it", { skip: process.platform === "win32" }, () =>
  withFolder((folder) => {
    using file = new HistoryFile(join(folder, "history.db"));
    file.begin([], 1, 0);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    assert.ok(readdirSync(folder).length > 1);
  }),
);

test("the file stays within its size, and the newest states stay", () =>
  withFolder((folder) => {
    using file = new HistoryFile(join(folder, "history.db"));
    file.begin([], 1, 0);
    const maxBytes = 400 * 1024;
    for (let revision = 2; revision < 3_000; revision++) {
      const value = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * revision * 31) % 256));
      file.record(
        [{ revision, key: `/k/${revision % 20}`, at: revision, note: undefined, value, isSealed: false, previous: undefined }],
        revision,
      );
      if (revision % 50 === 0) while (file.prune({ maxBytes }, revision));
    }
    while (file.prune({ maxBytes }, 3_000));
    const { bytes, oldest = 0 } = file.status();
    assert.ok(bytes <= maxBytes, `${bytes}`);
    assert.ok(oldest > 1_000 && oldest < 2_950, `${oldest}`);
    assert.equal(file.reader.list("/k/", 2_999, { limit: 100 }).entries.length, 20);
    assert.equal(file.reader.list("/k/", oldest, { limit: 100 }).entries.length, 20);
  }));

test("a file of something else, or of a newer program, is refused", () =>
  withFolder((folder) => {
    const other = join(folder, "other.db");
    writeFileSync(other, "this is no database, but it is long enough to look like one".repeat(100));
    assert.throws(() => new HistoryFile(other), /cannot be read as a history/);
  }));
