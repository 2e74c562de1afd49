/** What a client sends is read once it may do what it asks for, and as far as there is room for all that is under way. */
import assert from "node:assert/strict";
import type { ClientHttp2Session } from "node:http2";
import { Agent } from "node:https";
import { after, before, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { collect, configMap, configMaps, send, startTarget, type Target, within } from "./target.ts";

let target: Target;
before(async () => {
  target = await startTarget();
});
after(() => target[Symbol.asyncDispose]());

const length = 3 * 1024 * 1024;

/** Announces a body, and sends nothing of it. */
const announce = (session: ClientHttp2Session, headers: Readonly<Record<string, string>>) => {
  const all = { ":method": "POST", ":path": configMaps, "content-type": "application/json", "content-length": length, ...headers };
  const stream = session.request(all);
  stream.on("error", () => undefined);
  return stream;
};

const refused = [
  { name: "nobody knows", headers: {}, status: 401 },
  { name: "has a wrong token", headers: { authorization: "Bearer wrong" }, status: 401 },
  { name: "may not", headers: { "impersonate-user": "jane" }, status: 403 },
] as const;
for (const { name, headers, status } of refused) {
  test(`who ${name} is refused before anything of the body has come`, async () => {
    const session = await target.http2();
    const authorization = status === 403 ? { authorization: target.authorization } : {};
    assert.equal((await within(`${status}`, collect(announce(session, { ...authorization, ...headers })))).status, status);
    session.destroy();
  });
}

test("bodies of one user under way are bounded, others are served, and room comes back", async () => {
  const session = await target.http2();
  const { authorization } = target;
  const open = Array.from({ length: 10 }, () => announce(session, { authorization }));
  const eleventh = await within("429", collect(announce(session, { authorization })));
  assert.deepEqual([eleventh.status, eleventh.headers["retry-after"], eleventh.body.reason], [429, "1", "TooManyRequests"]);
  const jane = { "impersonate-user": "jane", "impersonate-group": "system:masters" };
  const other = await send({ session, authorization }, "POST", configMaps, { body: configMap("other"), headers: jane });
  assert.equal(other.status, 201);
  for (const stream of open) stream.close(8);
  await waitUntil("there is room again", async () => {
    const stream = announce(session, { authorization });
    const answered = await Promise.race([collect(stream), send({ session, authorization }, "GET", configMaps)]);
    stream.close(8);
    return answered.status === 200;
  });
  session.destroy();
});

test("HTTP/1.1: a connection goes on after a small body that nobody read, and ends after a large one", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const lasts = async (bytes: number): Promise<boolean> => {
    const headers = { "impersonate-user": "jane", "content-length": String(bytes) };
    const answer = await target.http1("POST", configMaps, { body: Buffer.alloc(bytes, " "), headers }, agent);
    assert.equal(answer.status, 403);
    return answer.headers.connection !== "close";
  };
  assert.deepEqual([await lasts(1000), await lasts(200 * 1024), await lasts(1024 * 1024), await lasts(1000)], [true, true, false, true]);
  agent.destroy();
});

test("small bodies of unknown length take no more room than they are", async () => {
  const session = await target.http2();
  const headers = { ":method": "POST", ":path": configMaps, "content-type": "application/json", authorization: target.authorization };
  const streams = Array.from({ length: 50 }, () => session.request(headers));
  for (const stream of streams) stream.write("{");
  const answers = streams.map((stream) => collect(stream));
  for (const [i, stream] of streams.entries()) stream.end(configMap(`small-${i}`).slice(1));
  assert.deepEqual(new Set((await within("answers", Promise.all(answers))).map(({ status }) => status)), new Set([201]));
  session.destroy();
});

test("large bodies of unknown length take room as they come", async () => {
  const session = await target.http2();
  const headers = { ":method": "POST", ":path": configMaps, "content-type": "application/json", authorization: target.authorization };
  const streams = Array.from({ length: 16 }, () => session.request(headers));
  const answers = streams.map((stream) => {
    stream.on("error", () => undefined);
    stream.write(Buffer.alloc(length - 1024, " "));
    return collect(stream).catch(() => undefined);
  });
  const first = await within(
    "429",
    Promise.any(answers.map(async (answer) => ((await answer)?.status === 429 ? answer : Promise.reject(new Error("another"))))),
  );
  assert.equal(first?.status, 429);
  session.destroy();
});
