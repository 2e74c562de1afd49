import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import fc from "fast-check";
import type { WatchEvent, WatchOptions } from "../contracts/watch-event.ts";
import { configMaps } from "../resources/built-in.ts";
import { scriptedClient } from "../rest/scripted-transport.ts";
import { ModelServer, mishaps, type ScriptedMishap } from "./model-server.ts";

const disturbances = mishaps.filter((mishap) => mishap !== "none");

const scripted: fc.Arbitrary<ScriptedMishap> = fc.record({
  mishap: fc.constantFrom(...disturbances),
  before: fc.nat({ max: 3 }),
  during: fc.array(fc.nat({ max: 20 }), { maxLength: 4 }),
});

/** Runs until everything disturbances has happened and the last state is known. @returns when the requests were sent */
async function follow(script: readonly ScriptedMishap[], opts: WatchOptions): Promise<readonly number[]> {
  const server = new ModelServer(script);
  const times: number[] = [];
  const { client, transport, clock } = scriptedClient((request) => {
    times.push(clock.monotonic());
    return server.answer(request);
  });
  const state = new Map<string, number>();
  let version = 0;
  for await (const event of client.resource(configMaps).watch(opts)) {
    version = take(state, event, version);
    assert.deepEqual(sorted(state), sorted(server.states[version] ?? new Map()), `the state at version ${version}`);
    if (server.settled && version === server.version) break;
  }
  assert.equal(transport.reading, 0);
  assert.equal(clock.waiting, 0);
  return times;
}

test("whatever happens to its requests, a watch delivers each state in turn and ends with the last", () =>
  fc.assert(
    fc.asyncProperty(fc.array(scripted, { maxLength: 30 }), fc.constantFrom({}, { resourceVersion: "0" }), async (script, opts) => {
      await follow(script, opts);
    }),
    { numRuns: 300 },
  ));

const maxRequests = 12;
for (const mishap of disturbances)
  for (const during of [[], [1]])
    test(`no flood of requests when it is always: ${mishap}${during.length === 0 ? "" : ", after an event"}`, async () => {
      const times = await follow(
        Array.from({ length: 60 }, () => ({ mishap, before: 0, during })),
        {},
      );
      const shortestMs = Math.min(...times.map((at, i) => (times[i + maxRequests] ?? Number.POSITIVE_INFINITY) - at));
      assert.ok(shortestMs >= 1_000, `${maxRequests + 1} requests within ${shortestMs} ms`);
    });

/** Takes an event into the state; gives the version that it is at. Nothing is delivered twice. */
function take(state: Map<string, number>, event: WatchEvent<KubeObject>, version: number): number {
  if (event.type === "BOOKMARK") return Number(event.resourceVersion);
  if (event.type === "LISTED") {
    state.clear();
    for (const item of event.items) state.set(nameOf(item), versionOf(item));
    return Number(event.resourceVersion);
  }
  const name = nameOf(event.object);
  assert.ok(versionOf(event.object) > version, `${event.type} ${name} comes in order, once`);
  assert.equal(state.has(name), event.type !== "ADDED", `${event.type} ${name} fits the state`);
  if (event.type === "DELETED") state.delete(name);
  else state.set(name, versionOf(event.object));
  return versionOf(event.object);
}

const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? "";
const versionOf = ({ metadata }: KubeObject): number => Number(metadata?.resourceVersion);
const sorted = (state: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...state].sort(([a], [b]) => (a < b ? -1 : 1));
