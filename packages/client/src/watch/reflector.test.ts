import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { expired, failure, ManualClock, type StatusError, tooLargeResourceVersion } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { ClientOptions } from "../contracts/client.ts";
import type { WatchInterruption, WatchOptions } from "../contracts/watch-event.ts";
import { configMaps } from "../resources/built-in.ts";
import { lost, type ScriptedAnswer, scriptedClient } from "../rest/scripted-transport.ts";
import { bookmark, line, listAnswer, object, shown, watchAnswer } from "./watch-script.ts";

const refused = (error: StatusError, headers = {}): ScriptedAnswer => ({ status: error.code, body: error.status, headers });
const noStreaming = refused(failure(422, "Invalid", "sendInitialEvents: Forbidden"));
const started = [line("ADDED", object("a", 1)), bookmark(2, true)];
const quiet = (...lines: string[]): ScriptedAnswer => watchAnswer(lines, "silence");
const ended = (...lines: string[]): ScriptedAnswer => watchAnswer(lines);

/** What matters of a request: `list`, `stream`, `watch 7`. */
function describeRequest(path: string): string {
  const query = new URLSearchParams(path.split("?")[1]);
  if (query.get("watch") === null) return "list";
  return query.get("sendInitialEvents") === null ? `watch ${query.get("resourceVersion")}` : "stream";
}

interface Followed {
  readonly events: string[];
  readonly asked: string[];
  readonly interruptions: WatchInterruption[];
  readonly waits: readonly number[];
}

/** Watches until so many events have come. */
async function follow(answers: readonly ScriptedAnswer[], wanted: number, opts: WatchOptions = {}): Promise<Followed> {
  const { client, transport, clock } = scriptedClient((_, count) => answers[count - 1] ?? quiet());
  const events: string[] = [];
  const interruptions: WatchInterruption[] = [];
  const watch = client.resource(configMaps).watch({ ...opts, onInterrupted: (interruption) => interruptions.push(interruption) });
  for await (const event of watch) if (events.push(shown(event)) === wanted) break;
  assert.equal(transport.reading, 0);
  assert.equal(clock.waiting, 0);
  return { events, asked: transport.requests.map(({ path }) => describeRequest(path)), interruptions, waits: clock.waits };
}

const cases: readonly {
  name: string;
  answers: readonly ScriptedAnswer[];
  events: readonly string[];
  asked: readonly string[];
  opts?: WatchOptions;
  interruptions?: number;
  waits?: readonly number[];
}[] = [
  {
    name: "begins with the whole state, streamed",
    answers: [
      quiet(
        line("ADDED", object("a", 1)),
        line("ADDED", object("b", 2)),
        line("MODIFIED", object("a", 3)),
        line("DELETED", object("b", 4)),
        bookmark(5, true),
        line("ADDED", object("c", 6)),
      ),
    ],
    events: ["LISTED a@3 at 5", "ADDED c@6"],
    asked: ["stream"],
  },
  {
    name: "lists where the server does not stream lists, and does not ask again",
    answers: [
      noStreaming,
      listAnswer([object("a", 1)], 2),
      ended(line("ADDED", object("b", 3)), line("ERROR", expired("gone").status)),
      listAnswer([], 9),
      quiet(bookmark(10)),
    ],
    events: ["LISTED a@1 at 2", "ADDED b@3", "LISTED at 9", "BOOKMARK 10"],
    asked: ["stream", "list", "watch 2", "list", "watch 9"],
    interruptions: 1,
  },
  {
    name: "lists where the server says in the stream that it cannot stream lists, as Kubernetes does with an old etcd",
    answers: [
      ended(line("ERROR", failure(500, "InternalError", "the required storage feature RequestWatchProgress is disabled").status)),
      listAnswer([object("a", 1)], 2),
      quiet(),
    ],
    events: ["LISTED a@1 at 2"],
    asked: ["stream", "list"],
    interruptions: 0,
  },
  {
    name: "lists where the stream ends before the state is whole",
    answers: [ended(line("ADDED", object("a", 1))), listAnswer([object("a", 1)], 2), quiet()],
    events: ["LISTED a@1 at 2"],
    asked: ["stream", "list"],
    interruptions: 1,
  },
  {
    name: "lists where the stream falls silent before the state is whole",
    answers: [quiet(line("ADDED", object("a", 1))), listAnswer([object("a", 1)], 2), quiet(bookmark(3))],
    events: ["LISTED a@1 at 2", "BOOKMARK 3"],
    asked: ["stream", "list", "watch 2"],
    interruptions: 1,
    waits: [30_000, 800],
  },
  {
    name: "lists again where a list stalls",
    answers: [noStreaming, quiet(), listAnswer([object("a", 1)], 2), quiet(bookmark(3))],
    events: ["LISTED a@1 at 2", "BOOKMARK 3"],
    asked: ["stream", "list", "list", "watch 2"],
    interruptions: 1,
    waits: [70_000, 800],
  },
  {
    name: "restarts where the stream ends before the state is complete",
    answers: [watchAnswer([line("ADDED", object("a", 1))], lost()), quiet(bookmark(7, true))],
    events: ["LISTED at 7"],
    asked: ["stream", "stream"],
    interruptions: 1,
  },
  {
    name: "goes on after the last event or bookmark, with what the server ends in order at once",
    answers: [ended(...started), ended(line("MODIFIED", object("a", 5))), ended(bookmark(6)), quiet(line("DELETED", object("a", 7)))],
    events: ["LISTED a@1 at 2", "MODIFIED a@5", "BOOKMARK 6", "DELETED a@7"],
    asked: ["stream", "watch 2", "watch 5", "watch 6"],
    interruptions: 0,
    waits: [200, 200, 200],
  },
  {
    name: "goes on after a version of the caller's",
    answers: [quiet(line("ADDED", object("b", 8)))],
    events: ["ADDED b@8"],
    asked: ["watch 7"],
    opts: { resourceVersion: "7" },
  },
  {
    name: "lists again when the history is gone, said in the stream or by the answer",
    answers: [
      ended(...started, line("ERROR", expired("too old").status)),
      ended(bookmark(4, true)),
      refused(expired("too old")),
      quiet(bookmark(5, true)),
    ],
    events: ["LISTED a@1 at 2", "LISTED at 4", "LISTED at 5"],
    asked: ["stream", "stream", "watch 4", "stream"],
    interruptions: 2,
  },
  {
    name: "waits for a server that is behind, and lists when it stays so",
    answers: [
      ended(...started),
      ...Array.from({ length: 3 }, () => refused(tooLargeResourceVersion(2, 1), { "retry-after": "1" })),
      quiet(bookmark(1, true)),
    ],
    events: ["LISTED a@1 at 2", "LISTED at 1"],
    asked: ["stream", "watch 2", "watch 2", "watch 2", "stream"],
    interruptions: 3,
    waits: [200, 1000, 1600, 3200],
  },
  {
    name: "keeps its place while it may not watch, or the server is busy",
    answers: [
      ended(...started),
      ...[401, 403, 429, 503].map((code) => refused(failure(code, "", "no"), { "retry-after": "9" })),
      quiet(bookmark(3)),
    ],
    events: ["LISTED a@1 at 2", "BOOKMARK 3"],
    asked: ["stream", "watch 2", "watch 2", "watch 2", "watch 2", "watch 2"],
    interruptions: 4,
    waits: [200, 9000, 9000, 9000, 9000],
  },
  {
    name: "backs off when watches end at once without an event",
    answers: [ended(...started), ...Array.from({ length: 7 }, () => ended()), quiet(bookmark(3))],
    events: ["LISTED a@1 at 2", "BOOKMARK 3"],
    asked: ["stream", ...Array.from({ length: 8 }, () => "watch 2")],
    interruptions: 7,
    waits: [200, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000],
  },
  {
    name: "goes on after lines that are none of a watch, and lines cut off",
    answers: [
      quiet(...started, "<html>\n"),
      watchAnswer([line("ADDED", object("b", 3)), line("ADDED", object("c", 4)).slice(0, 20)], lost()),
      ended(line("ADDED", object("c", 4)), '{"type":"ADDED","obj'),
      quiet(line("ADDED", "nothing"), bookmark(5)),
      quiet(bookmark(6)),
    ],
    events: ["LISTED a@1 at 2", "ADDED b@3", "ADDED c@4", "BOOKMARK 6"],
    asked: ["stream", "watch 2", "watch 3", "watch 4", "watch 4"],
    interruptions: 4,
  },
  {
    name: "leaves out events of types that it does not know, and says so",
    answers: [quiet(...started, line("RENAMED", object("a", 3)), line("ADDED", object("b", 4)))],
    events: ["LISTED a@1 at 2", "ADDED b@4"],
    asked: ["stream"],
    interruptions: 1,
    waits: [],
  },
];
for (const { name, answers, events, asked, opts, interruptions, waits } of cases)
  test(name, async () => {
    const followed = await follow(answers, events.length, opts);
    assert.deepEqual(followed.events, events);
    assert.deepEqual(followed.asked, asked);
    if (interruptions !== undefined) assert.equal(followed.interruptions.length, interruptions);
    if (waits !== undefined) assert.deepEqual(followed.waits, waits);
  });

test("asks for bookmarks, for an end by the server, and for what is selected", async () => {
  const { client, transport } = scriptedClient((_, count) =>
    count === 1 ? noStreaming : count === 2 ? listAnswer([], 2) : quiet(bookmark(3)),
  );
  for await (const event of client.resource(configMaps, "shop").watch({ labelSelector: "a=b", fieldSelector: "metadata.name=x" }))
    if (event.type === "BOOKMARK") break;
  const selected = "labelSelector=a%3Db&fieldSelector=metadata.name%3Dx";
  const watch = `/api/v1/namespaces/shop/configmaps?watch=true&allowWatchBookmarks=true&${selected}&timeoutSeconds=300`;
  assert.deepEqual(
    transport.requests.map(({ path }) => path),
    [
      `${watch}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      `/api/v1/namespaces/shop/configmaps?${selected}&limit=500`,
      `${watch}&resourceVersion=2`,
    ],
  );
});

/** A watch that has sent its state and now waits for more. */
async function waiting(options: Partial<ClientOptions> = {}) {
  const leave = new AbortController();
  const { client, transport } = scriptedClient(() => quiet(...started), options);
  const watch = client.resource(configMaps).watch({ signal: leave.signal })[Symbol.asyncIterator]();
  await watch.next();
  const next = watch.next();
  await quiescence({ observe: () => transport.reading });
  assert.equal(transport.reading, 1);
  return { client, transport, watch, next, leave };
}

const endings: readonly [name: string, end: (w: Awaited<ReturnType<typeof waiting>>) => unknown][] = [
  ["when its signal is aborted", ({ leave }) => leave.abort(new Error("enough"))],
  ["when it is left", ({ watch }) => watch.return?.()],
  ["when the client is disposed", ({ client }) => client[Symbol.asyncDispose]()],
];
for (const [name, end] of endings)
  test(`ends quietly ${name}, and leaves nothing behind`, async () => {
    const clock = new ManualClock();
    const w = await waiting({ clock });
    await end(w);
    assert.deepEqual(await w.next, { done: true, value: undefined });
    assert.equal(w.transport.reading, 0);
    assert.equal(clock.waiting, 0);
    assert.equal(getEventListeners(w.leave.signal, "abort").length, 0);
  });

test("ends quietly while it waits for the next attempt", async () => {
  const clock = new ManualClock();
  const leave = new AbortController();
  const { client } = scriptedClient(() => refused(failure(503, "", "no")), { clock });
  const watch = client.resource(configMaps).watch({ signal: leave.signal })[Symbol.asyncIterator]();
  const next = watch.next();
  await quiescence({ clock });
  assert.equal(clock.waiting, 1);
  leave.abort();
  assert.deepEqual(await next, { done: true, value: undefined });
  assert.equal(clock.waiting, 0);
});
