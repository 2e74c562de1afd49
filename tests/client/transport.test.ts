/** The client's transport against a real server, over real connections. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, type Credential, createClient, type Transport, type TransportRequest } from "@coxswain/client";
import { type Http2TransportOptions, http2Transport } from "@coxswain/client/node";
import { parseJson, systemClock, systemRandom } from "@coxswain/machinery";
import { makeAuthority, relay, serve, trusted } from "./transport-server.ts";

const admin: Credential = { authorization: "Bearer admin" };
const as = (credential: Credential) => ({ current: () => Promise.resolve(credential) });
const open = (server: string, options: Partial<Http2TransportOptions> = {}): Transport =>
  http2Transport({ server, clock: systemClock, tls: { ca: trusted.cert }, credentials: as(admin), ...options });
const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({ method: "GET", path, headers: {}, ...more });

async function userOf(transport: Transport): Promise<string | undefined> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const body = Buffer.from("{}");
  const answer = await transport.send({ method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", headers, body });
  const review = parseJson(await answer.bytes()) as { status?: { userInfo?: { username?: string } } };
  return review.status?.userInfo?.username;
}

test("a thousand requests at once go over one connection", async () => {
  await using server = await serve();
  await using between = await relay(() => Promise.resolve(server.port));
  await using transport = open(`https://127.0.0.1:${between.port}`, { maxConnections: 1 });
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => transport.send(get("/api/v1/namespaces")).then(whole)));
  assert.ok(answers.every(({ status, bytes }) => status === 200 && bytes === answers[0]?.bytes));
  assert.equal(between.made(), 1);
});

async function whole(answer: Awaited<ReturnType<Transport["send"]>>): Promise<{ status: number; bytes: number }> {
  return { status: answer.status, bytes: (await answer.bytes()).byteLength };
}

test("as many watches as one likes: a server that allows no more on one connection gets another", async () => {
  await using server = await serve();
  await using between = await relay(() => Promise.resolve(server.port));
  await using transport = open(`https://127.0.0.1:${between.port}`);
  const watches = await Promise.all(Array.from({ length: 600 }, () => transport.send(get("/api/v1/pods?watch=1&resourceVersion=1"))));
  assert.ok(watches.every(({ status }) => status === 200));
  assert.equal((await transport.send(get("/version"))).status, 200);
  assert.ok(between.made() > 1 && between.made() < 10, `${between.made()} connections`);
  for (const watch of watches) watch.cancel();
});

test("a server that restarts: what is under way fails, what comes next finds the new one", async () => {
  const first = await serve();
  await using transport = open(first.url);
  const watch = (await transport.send(get("/api/v1/pods?watch=1&resourceVersion=1"))).chunks()[Symbol.asyncIterator]();
  const ended = watch.next().then(
    ({ done }) => done,
    (error) => error instanceof ConnectionError,
  );
  await first[Symbol.asyncDispose]();
  assert.equal(await ended, true);
  await assert.rejects(transport.send(get("/version")), (error) => error instanceof ConnectionError && error.unsent);
  await using second = await serve({ port: first.port });
  assert.equal((await transport.send(get("/version"))).status, 200, second.url);
});

test("a connection that breaks fails what is under way and no more", async () => {
  await using server = await serve();
  await using between = await relay(() => Promise.resolve(server.port));
  await using transport = open(`https://127.0.0.1:${between.port}`);
  const watch = await transport.send(get("/api/v1/pods?watch=1&resourceVersion=1"));
  const broken = assert.rejects(Array.fromAsync(watch.chunks()), ConnectionError);
  between.cut();
  await broken;
  assert.equal((await transport.send(get("/version"))).status, 200);
  assert.equal(between.made(), 2);
});

const others = makeAuthority("others");
const certificates: readonly { name: string; tls: Http2TransportOptions["tls"]; problem?: RegExp }[] = [
  { name: "the right authority", tls: { ca: trusted.cert } },
  { name: "an authority that is asked for at each connection", tls: { ca: () => Promise.resolve(trusted.cert) } },
  { name: "no authority", tls: {}, problem: /certificate is not signed by an authority that is trusted$/ },
  { name: "another authority", tls: { ca: others.cert }, problem: /certificate is not signed by an authority that is trusted$/ },
  { name: "several, the right one among them", tls: { ca: others.cert + trusted.cert } },
  { name: "another name that the certificate has", tls: { ca: trusted.cert, serverName: "kubernetes" } },
  {
    name: "a name that it does not have",
    tls: { ca: trusted.cert, serverName: "example.com" },
    problem: /does not match certificate's altnames/,
  },
  {
    name: "another address",
    tls: { ca: trusted.cert, serverName: "10.0.0.1" },
    problem: /does not match certificate's altnames|not in the cert's list/,
  },
  { name: "any server certificate", tls: { insecure: true } },
];
for (const { name, tls = {}, problem } of certificates) {
  test(`trust in ${name}: ${problem === undefined ? "fine" : "a clear error"}`, async () => {
    await using server = await serve();
    await using transport = open(server.url, { tls });
    if (problem === undefined) assert.equal((await transport.send(get("/version"))).status, 200);
    else {
      const reported = (error: unknown): boolean =>
        error instanceof ConnectionError &&
        error.unsent &&
        error.lasting &&
        error.message.startsWith(`cannot connect to ${server.url}: `) &&
        problem.test(error.message);
      await assert.rejects(transport.send(get("/version")), reported);
    }
  });
}

test("a renewed client certificate changes the user without a new transport", async () => {
  await using server = await serve();
  let certificate = trusted.clientNamed("jane");
  await using transport = open(server.url, { credentials: { current: () => Promise.resolve({ certificate }) } });
  assert.equal(await userOf(transport), "jane");
  const answers = [userOf(transport), userOf(transport)];
  certificate = trusted.clientNamed("joe");
  answers.push(userOf(transport), userOf(transport));
  assert.deepEqual((await Promise.all(answers)).slice(2), ["joe", "joe"]);
  assert.equal(await userOf(transport), "joe");
});

test("a token that is replaced is renewed for all requests that it failed, once", async () => {
  await using server = await serve({ tokens: ["new"] });
  let credential: Credential = { authorization: "Bearer old" };
  let renewals = 0;
  const credentials = {
    current: () => Promise.resolve(credential),
    renew: async (refused: Credential) => {
      if (refused !== credential) return;
      renewals++;
      credential = { authorization: "Bearer new" };
    },
  };
  await using transport = open(server.url, { credentials });
  // With the 401 the server ends the connection, and what it had not begun is for the client to send again.
  const client = createClient({ transport, clock: systemClock, random: systemRandom });
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.request(get("/api/v1/namespaces"))));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  for (const answer of answers) answer.cancel();
  assert.equal(renewals, 1);
});

test("compressed answers read the same", async () => {
  await using server = await serve();
  await using plain = open(server.url);
  await using compressed = open(server.url, { compression: true });
  const path = "/openapi/v2";
  const headers = { accept: "application/json" };
  const [one, other] = await Promise.all([plain.send(get(path, { headers })), compressed.send(get(path, { headers }))]);
  assert.equal(one.headers["content-encoding"], undefined);
  assert.equal(other.headers["content-encoding"], "gzip");
  const [expected, parts] = await Promise.all([one.bytes(), Array.fromAsync(other.chunks())]);
  assert.ok(Buffer.concat(parts).equals(expected));
});
