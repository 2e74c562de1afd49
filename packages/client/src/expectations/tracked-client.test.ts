import assert from "node:assert/strict";
import { test } from "node:test";
import { alreadyExists, conflict, type KubeObject, notFound } from "@coxswain/machinery";
import type { ResourceClient } from "../contracts/client.ts";
import { configMaps } from "../resources/built-in.ts";
import { type ScriptedAnswer, scriptedClient } from "../rest/scripted-transport.ts";
import { trackedClient } from "./tracked-client.ts";

const comeBack = (status: number): ScriptedAnswer => ({ status, headers: { "retry-after": "1" }, body: "later" });
const refusal = ({ status }: ReturnType<typeof notFound>): ScriptedAnswer => ({ status: status.code ?? 0, body: status });
const made: ScriptedAnswer = { body: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", uid: "u", resourceVersion: "7" } } };

const a = { metadata: { name: "a", resourceVersion: "6" } };
const create = (maps: ResourceClient<KubeObject>) => maps.create({ metadata: { name: "a" } });
const generate = (maps: ResourceClient<KubeObject>) => maps.create({ metadata: { generateName: "a-" } });
const update = (maps: ResourceClient<KubeObject>) => maps.update(a);
const remove = (maps: ResourceClient<KubeObject>) => maps.delete("a");

const cases: readonly {
  name: string;
  write: (maps: ResourceClient<KubeObject>) => Promise<unknown>;
  first: ScriptedAnswer;
  second: ScriptedAnswer;
  outcome: string;
}[] = [
  {
    name: "a create that is there already",
    write: create,
    first: comeBack(503),
    second: refusal(alreadyExists(configMaps, "a")),
    outcome: "unconfirmed",
  },
  { name: "a create that succeeds", write: create, first: comeBack(500), second: made, outcome: "answered a" },
  {
    name: "a create whose name the server chooses",
    write: generate,
    first: comeBack(504),
    second: made,
    outcome: "answered a, and maybe more",
  },
  {
    name: "an update of what has changed",
    write: update,
    first: comeBack(504),
    second: refusal(conflict(configMaps, "a", "")),
    outcome: "unconfirmed",
  },
  {
    name: "a delete of what is gone",
    write: remove,
    first: comeBack(503),
    second: refusal(notFound(configMaps, "a")),
    outcome: "unconfirmed",
  },
  {
    name: "after a server that was too busy",
    write: create,
    first: comeBack(429),
    second: refusal(alreadyExists(configMaps, "a")),
    outcome: "refused",
  },
];
for (const { name, write, first, second, outcome } of cases)
  test(`sent again: ${name}: ${outcome}`, async () => {
    const { client, transport } = scriptedClient((_request, count) => (count === 1 ? first : second));
    const log: string[] = [];
    const tracked = trackedClient(client, {
      begin: () => ({
        answered: ({ metadata }, mayHaveMore) => log.push(`answered ${metadata?.name}${mayHaveMore ? ", and maybe more" : ""}`),
        deleted: () => log.push("deleted"),
        unconfirmed: () => log.push("unconfirmed"),
        rejected: () => log.push("refused"),
      }),
    });
    await write(tracked.resource<KubeObject>(configMaps, "default")).catch(() => undefined);
    assert.equal(transport.requests.length, 2);
    assert.deepEqual(log, [outcome]);
  });
