/** How connections are served, and how serving ends, as clients on HTTP/2 see it. The clock stands still. */
import assert from "node:assert/strict";
import { type ClientHttp2Session, connect } from "node:http2";
import { Agent, request as request1 } from "node:https";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Authenticator, ServingOptions } from "@coxswain/apiserver";
import { waitUntil } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { type Api, countingRandom, startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
/** Waits for what is not written, as long as the clock stands. */
const pending = `${maps}?resourceVersion=1000000&resourceVersionMatch=NotOlderThan`;
const names = { dns: ["localhost"], ip: ["127.0.0.1"] };
const { cert, key } = issuePair("self", { subject: nameWith("test"), usage: "server auth", names }, Date.now());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

interface Running {
  readonly api: Api;
  readonly url: string;
  /** Targets of requests that have come in. */
  readonly seen: readonly string[];
}

async function start(serving: ServingOptions, next: () => number = () => 0.5): Promise<Running> {
  const seen: string[] = [];
  const everyone: Authenticator = ({ headers }) => {
    if (headers[":path"] !== undefined) seen.push(String(headers[":path"]));
    return { kind: "authenticated", user: { name: "tester", uid: "", groups: ["system:masters"], extra: {} } };
  };
  const random = { ...countingRandom(), next };
  const api = await startApi({ tls: { cert, key }, authenticators: [everyone], random, serving });
  const { port } = await api.server.listen(0, "127.0.0.1");
  return { api, url: `https://127.0.0.1:${port}`, seen };
}

function dial(url: string): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(url, { rejectUnauthorized: false });
    session.once("remoteSettings", () => resolve(session));
    session.once("error", reject);
  });
}

function get(session: ClientHttp2Session, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path, ...headers });
    const chunks: Buffer[] = [];
    let received: Readonly<Record<string, unknown>> = {};
    stream.on("response", (all) => {
      received = all;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve({ status: Number(received[":status"]), headers: received, bytes: Buffer.concat(chunks) }));
    stream.on("error", reject);
  });
}

/** What a watch has sent, and whether it has ended in order. */
function watch(session: ClientHttp2Session): { text: string; ended: boolean } {
  const state = { text: "", ended: false };
  const stream = session.request({ ":path": `${maps}?watch=1&resourceVersion=0` });
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    state.text += chunk;
  });
  stream.on("end", () => {
    state.ended = true;
  });
  return state;
}

const write = (api: Api, name: string) => api.send("POST", maps, { body: { metadata: { name } } });

test("a client that is sent away by chance connects anew, and nothing that is under way is cut off", async () => {
  let chance = 0.5;
  const { api, url, seen } = await start({ goawayChance: 0.02 }, () => chance);
  const session = await dial(url);
  const goaways: number[] = [];
  session.on("goaway", (code) => void goaways.push(code));
  await write(api, "a");
  const watched = watch(session);
  await waitUntil("the first event", () => watched.text.includes('"a"'));
  const late = get(session, pending);
  await waitUntil("the request that waits", () => seen.includes(pending));
  assert.equal((await get(session, "/version")).status, 200);
  assert.deepEqual(goaways, []);

  chance = 0.019;
  assert.equal((await get(session, "/version")).status, 200);
  await waitUntil("the client to be sent away", () => goaways.length > 0);
  assert.deepEqual(goaways, [0]);
  chance = 0.5;
  await write(api, "b");
  await waitUntil("an event on the old connection", () => watched.text.includes('"b"'));
  api.clock.advance(10_000);
  assert.equal((await late).status, 504);
  assert.equal(session.closed, true);

  const next = await dial(url);
  assert.equal((await get(next, "/version")).status, 200);
  next.destroy();
  session.destroy();
  await api.server.close();
});

test("no client on HTTP/1.1 is sent away by chance", async () => {
  const { api, url } = await start({ goawayChance: 0.02 }, () => 0);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const connection = await new Promise((resolve, reject) => {
    const req = request1(`${url}/version`, { agent }, (res) => {
      res.resume().on("end", () => resolve(res.headers.connection));
    });
    req.on("error", reject).end();
  });
  assert.equal(connection, "keep-alive");
  agent.destroy();
  await api.server.close();
});

test("with a delay, a server that ends is not ready at once, serves on, drains, and only then ends watches", async () => {
  const { api, url, seen } = await start({ shutdownDelayMs: 10_000 });
  const session = await dial(url);
  const watched = watch(session);
  await waitUntil("the watch", () => seen.length > 0);
  let closed = false;
  const closing = api.server.close().then(() => {
    closed = true;
  });
  const ready = await get(session, "/readyz");
  assert.equal(ready.status, 500);
  assert.match(ready.bytes.toString(), /^\[-\]shutdown failed: reason withheld$/m);
  assert.equal((await get(session, "/livez")).status, 200);
  await api.clock.advance(9_999);
  const another = await dial(url);
  assert.equal((await get(another, maps)).status, 200);
  await write(api, "a");
  await waitUntil("an event", () => watched.text.includes('"a"'));
  const late = get(session, pending);
  await waitUntil("the request that waits", () => seen.includes(pending));

  await api.clock.advance(1);
  await waitUntil("the port to be closed", async () => (await isRefused(url)) === true);
  await write(api, "b");
  await waitUntil("an event while requests are answered", () => watched.text.includes('"b"'));
  assert.deepEqual([watched.ended, closed], [false, false]);

  await api.clock.advance(10_000);
  assert.equal((await late).status, 504);
  await waitUntil("the end of the watch", () => watched.ended);
  await closing;
  another.destroy();
  session.destroy();
});

async function isRefused(url: string): Promise<boolean> {
  const session = await dial(url).catch(() => undefined);
  session?.destroy();
  return session === undefined;
}

test("what comes while the last requests are answered is sent elsewhere, but for who watches the server", async () => {
  const { api, url, seen } = await start({ shutdownSendRetryAfter: true });
  const [session, other] = [await dial(url), await dial(url)];
  const late = get(session, pending);
  await waitUntil("the request that waits", () => seen.includes(pending));
  const closing = api.server.close();
  assert.equal((await get(other, "/readyz")).status, 500);
  assert.equal((await get(other, "/livez")).status, 200);
  const { status, headers, bytes } = await get(other, maps);
  assert.deepEqual(
    [status, headers["retry-after"], headers["content-type"], bytes.toString()],
    [429, "5", "text/plain; charset=utf-8", "The apiserver is shutting down, please try again later.\n"],
  );
  await waitUntil("the connection to end", () => other.closed);
  await api.clock.advance(10_000);
  assert.equal((await late).status, 504);
  await closing;
  session.destroy();
});

test("a server without a delay ends at once", async () => {
  const { api, url } = await start({});
  const session = await dial(url);
  const watched = watch(session);
  await get(session, "/version");
  await api.server.close();
  await waitUntil("the end of the watch", () => watched.ended);
  session.destroy();
});

test("a request takes no longer than it may, whatever it asks for itself", async () => {
  const { api, url, seen } = await start({ requestTimeoutMs: 2_000 });
  const session = await dial(url);
  for (const path of [pending, `${pending}&timeout=1h`]) {
    const late = get(session, path);
    await waitUntil("the request", () => seen.includes(path));
    await api.clock.advance(2_000);
    const { status, bytes } = await late;
    assert.equal(status, 504);
    assert.equal(JSON.parse(bytes.toString()).message, "Timeout: request did not complete within the allotted timeout");
  }
  session.destroy();
  await api.server.close();
});

for (const { chance, endsAfterMs } of [
  { chance: 0, endsAfterMs: 60_000 },
  { chance: 0.5, endsAfterMs: 90_000 },
])
  test(`a watch ends after ${endsAfterMs} ms where the least is a minute and chance is ${chance}`, async () => {
    const { api } = await start({ minRequestTimeoutMs: 60_000 }, () => chance);
    const watched = await api.watch(`${maps}?watch=1`);
    await api.clock.advance(endsAfterMs - 1);
    assert.equal(watched.ended, false);
    await api.clock.advance(1);
    assert.equal(watched.ended, true);
    await api.server.close();
  });

test("a connection has as many requests at a time as the server says", async () => {
  const { api, url } = await start({ maxStreamsPerConnection: 7 });
  const session = await dial(url);
  assert.equal(session.remoteSettings.maxConcurrentStreams, 7);
  session.destroy();
  await api.server.close();
});

test("long answers are compressed for clients that take that, and short ones are not", async () => {
  const { api, url } = await start({});
  const session = await dial(url);
  for (const { name, size, coding } of [
    { name: "short", size: 100_000, coding: undefined },
    { name: "long", size: 140_000, coding: "gzip" },
  ]) {
    await api.send("POST", maps, { body: { metadata: { name }, data: { value: "x".repeat(size) } } });
    const { headers, bytes } = await get(session, `${maps}/${name}`, { "accept-encoding": "gzip" });
    assert.equal(headers["content-encoding"], coding);
    const text = (coding === undefined ? bytes : gunzipSync(bytes)).toString();
    assert.equal(JSON.parse(text).data.value.length, size);
    assert.equal((await get(session, `${maps}/${name}`)).headers["content-encoding"], undefined);
  }
  session.destroy();
  await api.server.close();
});
