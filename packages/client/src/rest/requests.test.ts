import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, isConflict, isTooManyRequests, StatusError } from "@coxswain/machinery";
import { configMaps } from "../resources/built-in.ts";
import { ConnectionError } from "../transport/transport.ts";
import { lost, type Script, type ScriptedAnswer, scriptedClient } from "./scripted-transport.ts";

const busy = (retryAfter?: string, status = 429): ScriptedAnswer => ({
  status,
  headers: { "content-type": "text/plain", ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) },
  body: "slow down",
});
const found: ScriptedAnswer = { body: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } } };
const inTurn =
  (...answers: readonly (ScriptedAnswer | Error)[]): Script =>
  (_request, count) => {
    const answer = answers[Math.min(count, answers.length) - 1] ?? found;
    if (answer instanceof Error) throw answer;
    return answer;
  };

type Act = "get" | "create";
const cases: readonly {
  name: string;
  act: Act;
  script: Script;
  requests: number;
  waits?: readonly number[];
  fails?: (e: unknown) => boolean;
}[] = [
  { name: "a server that says when to come back is asked then", act: "get", script: inTurn(busy("3"), found), requests: 2, waits: [3000] },
  {
    name: "a write that was refused for now is sent again",
    act: "create",
    script: inTurn(busy("1", 503), found),
    requests: 2,
    waits: [1000],
  },
  { name: "no wait is longer than a minute", act: "get", script: inTurn(busy("86400"), found), requests: 2, waits: [60_000] },
  { name: "ten attempts are enough", act: "get", script: inTurn(busy("1")), requests: 10, fails: isTooManyRequests },
  {
    name: "a busy server that does not say when is not asked again",
    act: "get",
    script: inTurn(busy()),
    requests: 1,
    fails: isTooManyRequests,
  },
  {
    name: "nor one that says it in words",
    act: "get",
    script: inTurn(busy("Sat, 21 Nov 2026 08:00:00 GMT")),
    requests: 1,
    fails: isTooManyRequests,
  },
  { name: "a read whose answer was lost is sent again", act: "get", script: inTurn(lost(), lost(), found), requests: 3, waits: [100, 200] },
  { name: "a write that was never sent is sent again", act: "create", script: inTurn(lost(true), found), requests: 2, waits: [100] },
  {
    name: "a write whose answer was lost is not sent again, and the error says so",
    act: "create",
    script: inTurn(lost()),
    requests: 1,
    fails: (e) => e instanceof ConnectionError && !e.unsent && /POST was sent and may have taken effect/.test(e.message),
  },
  {
    name: "a server that is not trusted is not asked again",
    act: "get",
    script: inTurn(new ConnectionError("its certificate has expired", { unsent: true, lasting: true })),
    requests: 1,
    waits: [],
    fails: (e) => e instanceof ConnectionError && e.lasting,
  },
  {
    name: "a server that cannot be reached is given up",
    act: "get",
    script: inTurn(lost(true)),
    requests: 5,
    fails: (e) => e instanceof ConnectionError,
  },
  {
    name: "a conflict is the caller's",
    act: "create",
    script: inTurn({ status: 409, body: failure(409, "Conflict", "no").status }),
    requests: 1,
    fails: isConflict,
  },
  {
    name: "a failure behind a 200 is one",
    act: "get",
    script: inTurn({ body: failure(500, "", "late").status }),
    requests: 1,
    fails: (e) => e instanceof StatusError,
  },
  {
    name: "a page of a proxy is no object",
    act: "get",
    script: inTurn({ body: "<html>" }),
    requests: 1,
    fails: (e) => /is no JSON/.test(String(e)),
  },
];
for (const { name, act, script, requests, waits, fails } of cases)
  test(name, async () => {
    const { client, transport, clock } = scriptedClient(script);
    const resource = client.resource(configMaps);
    const done = act === "get" ? resource.get("a") : resource.create({ metadata: { name: "a" } });
    await (fails === undefined ? done : assert.rejects(done, fails));
    assert.equal(transport.requests.length, requests);
    if (waits !== undefined) assert.deepEqual(clock.waits, waits);
  });

test("waiting for another attempt ends with the signal", async () => {
  const leave = new AbortController();
  const { client, clock } = scriptedClient(() => {
    leave.abort(new Error("enough"));
    return busy("5");
  });
  await assert.rejects(client.resource(configMaps).get("a", { signal: leave.signal }), /enough/);
  assert.equal(clock.waiting, 0);
});

test("reports warnings, and sends the user agent", async () => {
  const warnings: string[] = [];
  const answer = { ...found, headers: { warning: '299 - "old"' } };
  const { client, transport } = scriptedClient(() => answer, { fieldManager: "my operator", onWarning: (text) => warnings.push(text) });
  await client.resource(configMaps).get("a");
  assert.deepEqual(warnings, ["old"]);
  assert.match(transport.requests[0]?.headers["user-agent"] ?? "", /^my-operator\/\S+ coxswain-client\//);
});

test("hands out answers as they come, and failures as errors", async () => {
  const { client } = scriptedClient(({ path }) =>
    path === "/version" ? { body: "v1" } : { status: 404, headers: {}, body: "404 page not found" },
  );
  const response = await client.request({ method: "GET", path: "/version", headers: {} });
  assert.equal(new TextDecoder().decode(await response.bytes()), "v1");
  await assert.rejects(client.request({ method: "GET", path: "/nothing", headers: {} }), {
    code: 404,
    message: "the server could not find the requested resource",
  });
});

test("a client that is disposed sends nothing any more", async () => {
  const { client, transport } = scriptedClient(() => found);
  await client[Symbol.asyncDispose]();
  assert.equal(transport.disposed, true);
  await assert.rejects(client.resource(configMaps).get("a"), /the client is closed/);
  assert.equal(transport.requests.length, 0);
});
