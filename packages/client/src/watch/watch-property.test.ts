import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import fc from "fast-check";
import { configMaps } from "../resources/built-in.ts";
import { scriptedClient } from "../rest/scripted-transport.ts";
import type { WatchEvent } from "../rest/watch-event.ts";
import { type Fate, ModelServer, mishaps } from "./model-server.ts";

const fate: fc.Arbitrary<Fate> = fc.record({
  mishap: fc.constantFrom(...mishaps.filter((mishap) => mishap !== "none")),
  before: fc.nat({ max: 3 }),
  during: fc.array(fc.nat({ max: 20 }), { maxLength: 4 }),
});

test("whatever happens to its requests, a watch tells each state in turn and ends up with the last", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 30 }), fc.boolean(), async (fates, fromTheStart) => {
      const server = new ModelServer(fates);
      const times: number[] = [];
      const { client, transport, clock } = scriptedClient((request) => {
        times.push(clock.monotonic());
        return server.answer(request);
      });
      const state = new Map<string, number>();
      const opts = fromTheStart ? { resourceVersion: "0" } : {};
      let version = 0;
      for await (const event of client.resource(configMaps).watch(opts)) {
        version = follow(state, event, version);
        assert.deepEqual(sorted(state), sorted(server.states[version] ?? new Map()), `the state at version ${version}`);
        if (server.settled && version === server.version) break;
      }
      assert.equal(transport.reading, 0);
      assert.equal(clock.waiting, 0);
      for (const [i, at] of times.entries())
        assert.ok((times[i + 20] ?? Number.POSITIVE_INFINITY) - at >= 1_000, "no more than 20 requests in a second");
    }),
    { numRuns: 300 },
  ));

/** Takes an event into the state; gives the version that it is at. Nothing is told twice. */
function follow(state: Map<string, number>, event: WatchEvent<KubeObject>, version: number): number {
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
