/** Definitions and objects of custom resources that are meant to hold up the server: each is answered, and others hardly wait. */
import assert from "node:assert/strict";
import type { ClientHttp2Session } from "node:http2";
import { after, before, describe, test } from "node:test";
import * as definitions from "./hostile-definitions.ts";
import * as objects from "./hostile-objects.ts";
import { assertOthersServed, type Latency, startMeasured, watchLatency } from "./latency.ts";
import { type Answer, send as sendOn, type Target, until } from "./target.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

let target: Target;
let session: ClientHttp2Session;
let latency: Latency;
before(async () => {
  target = await startMeasured();
  session = await target.http2({ windowSize: 16 * 1024 * 1024 });
  latency = await watchLatency(target);
});
after(async () => {
  await latency[Symbol.asyncDispose]();
  session.destroy();
  await target[Symbol.asyncDispose]();
});

const send = (method: string, path: string, body?: string): Promise<Answer> =>
  sendOn({ session, authorization: target.authorization }, method, path, body === undefined ? {} : { body });

interface Expected {
  readonly status: number;
  readonly message?: RegExp;
}

function assertAnswer({ status, text, body }: Answer, expected: Expected): void {
  assert.equal(status, expected.status, text.slice(0, 500));
  if (expected.message !== undefined) assert.match(body?.message ?? text, expected.message);
}

const { references, sizes, patterns, rules, paths } = definitions;
for (const [subject, cases] of Object.entries({ references, sizes, patterns, rules, paths }))
  describe(`definitions: ${subject}`, () => {
    for (const { name, body, ...expected } of cases)
      test(name, async (t) => {
        const text = body();
        await latency.work();
        assertAnswer(await send("POST", crds, text), expected);
        if (expected.status === 201) await remove(`${crds}/things.hostile.example.com`);
        await assertOthersServed(latency, t);
      });
  });

async function remove(path: string): Promise<void> {
  await until("it is established", async () => (await send("GET", path)).text.includes('"InitialNamesAccepted"'));
  assert.equal((await send("DELETE", path)).status, 200);
  await until("it is gone", async () => (await send("GET", path)).status === 404);
}

for (const [subject, cases] of Object.entries({ shapes: objects.shapes, values: objects.values, rules: objects.rules }))
  describe(`objects: ${subject}`, () => {
    for (const { name, definition, spec, ...expected } of cases)
      test(name, async (t) => {
        assertAnswer(await send("POST", crds, definition), { status: 201 });
        const path = "/apis/hostile.example.com/v1/namespaces/default/things";
        await until("it is served", async () => (await send("GET", path)).status === 200);
        const body = `{"apiVersion":"hostile.example.com/v1","kind":"Things","metadata":{"name":"a"},"spec":${spec()}}`;
        await latency.work();
        assertAnswer(await send("POST", path, body), expected);
        await assertOthersServed(latency, t);
        await remove(`${crds}/things.hostile.example.com`);
      });
  });
