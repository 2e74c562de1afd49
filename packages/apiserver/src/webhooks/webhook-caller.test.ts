import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { test } from "node:test";
import { type Clock, ManualClock, systemClock } from "@coxswain/machinery";
import type { ServiceResolver, WebhookClientConfig } from "./client-config.ts";
import { WebhookCaller } from "./webhook-caller.ts";
import { startWebhook, type WebhookNames, type WebhookResponder } from "./webhook-under-test.ts";

const nowhere: ServiceResolver = async (_namespace, name) => {
  throw new Error(`service "${name}" not found`);
};

interface Setup {
  readonly behave?: WebhookResponder;
  readonly names?: WebhookNames;
  readonly clock?: Clock;
  readonly resolve?: ServiceResolver;
  readonly lookup?: LookupFunction;
}

const answering: WebhookResponder = (response) => response.end("{}");

async function setup({ behave = answering, names, clock = systemClock, resolve = nowhere, lookup }: Setup = {}) {
  const webhook = await startWebhook(behave, names);
  const caller = new WebhookCaller({ clock, resolve, lookup });
  const url = `https://127.0.0.1:${webhook.port}/convert`;
  const call = (client: WebhookClientConfig = { url }, maxBytes = 1000): Promise<string> =>
    caller
      .call({ client: { caBundle: webhook.caBundle, ...client }, body: Buffer.from('{"a":1}'), timeoutMs: 30_000, maxBytes })
      .then(String);
  return {
    webhook,
    call,
    url,
    port: webhook.port,
    async [Symbol.asyncDispose]() {
      caller.close();
      await webhook[Symbol.asyncDispose]();
    },
  };
}

test("a webhook is asked with a POST that says how long it may take", async () => {
  await using at = await setup();
  assert.equal(await at.call(), "{}");
  const [asked] = at.webhook.asked;
  assert.equal(asked?.method, "POST");
  assert.equal(asked?.url, "/convert?timeout=30s");
  assert.equal(asked?.body, '{"a":1}');
  assert.equal(asked?.headers["content-type"], "application/json");
  assert.equal(asked?.headers["user-agent"], "kube-apiserver-admission");
});

test("a Service is asked where its endpoints are, by its own name", async () => {
  const endpoint = { host: "127.0.0.1", port: 0 };
  const resolve: ServiceResolver = async (namespace, name, port) => {
    assert.deepEqual([namespace, name, port], ["ops", "converter", 443]);
    return endpoint;
  };
  await using at = await setup({ resolve, names: { dns: ["converter.ops.svc"] } });
  endpoint.port = at.port;
  await at.call({ service: { namespace: "ops", name: "converter", path: "/rooms" } });
  const [asked] = at.webhook.asked;
  assert.equal(asked?.url, "/rooms?timeout=30s");
  assert.equal(asked?.headers.host, "converter.ops.svc:443");
  assert.equal(asked?.serverName, "converter.ops.svc");
});

test("connections are kept", async () => {
  await using at = await setup();
  for (let i = 0; i < 5; i++) await at.call();
  assert.equal(at.webhook.connections.size, 1);
});

test("a kept connection that the webhook has closed is no failure", async () => {
  await using at = await setup();
  await at.call();
  for (const socket of at.webhook.connections) socket.destroy();
  assert.equal(await at.call(), "{}");
  assert.equal(at.webhook.connections.size, 2);
});

test("authorities of one webhook do not vouch for another", async () => {
  await using one = await setup();
  await using other = await setup();
  await one.call();
  const foreign = one.call({ url: `https://127.0.0.1:${other.port}/` });
  await assert.rejects(foreign, {
    message: `Post "https://127.0.0.1:${other.port}/?timeout=30s": ${x509} certificate signed by unknown authority`,
  });
  assert.equal(other.webhook.asked.length, 0);
});

const x509 = "tls: failed to verify certificate: x509:";

test("a webhook that answers with Retry-After is called again", async () => {
  let left = 2;
  const clock = new ManualClock();
  const behave: WebhookResponder = (response) => {
    if (left-- === 0) return void response.end("{}");
    response.writeHead(429, { "retry-after": "1" }).end();
  };
  await using at = await setup({ behave, clock });
  const answer = at.call();
  while (at.webhook.asked.length < 3) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.waiting > 1) clock.advance(1000);
  }
  assert.equal(await answer, "{}");
});

for (const where of ["before", "within"] as const) {
  test(`a webhook that takes too long ${where} its answer is given up`, async () => {
    const clock = new ManualClock();
    const behave: WebhookResponder = (response) => {
      if (where === "within") response.write("{");
      setImmediate(() => clock.advance(30_000));
    };
    await using at = await setup({ behave, clock });
    await assert.rejects(at.call(), /context deadline exceeded$/);
  });
}

const answers: readonly { name: string; behave: WebhookResponder; message: string }[] = [
  ...(
    [
      [301, "the server responded with the status code 301 but did not return more information"],
      [400, "the server rejected our request for an unknown reason"],
      [401, "the server has asked for the client to provide credentials"],
      [403, "oops"],
      [404, "the server could not find the requested resource"],
      [405, "the server does not allow this method on the requested resource"],
      [406, "oops"],
      [409, "the server reported a conflict"],
      [410, "the server responded with the status code 410 but did not return more information"],
      [415, "oops"],
      [422, "the server rejected our request due to an error in our request"],
      [429, "the server has received too many requests and has asked us to try again later"],
      [500, 'an error on the server ("oops") has prevented the request from succeeding'],
      [503, "the server is currently unable to handle the request"],
      [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
    ] as const
  ).map(([code, message]) => ({
    name: String(code),
    behave: ((response) =>
      response.writeHead(code, { "content-type": "text/plain; charset=utf-8" }).end(" oops\n")) satisfies WebhookResponder,
    message,
  })),
  {
    name: "500 that is no text",
    behave: (response) => response.writeHead(500, { "content-type": "application/json" }).end('{"a":1}'),
    message: 'an error on the server ("unknown") has prevented the request from succeeding',
  },
  {
    name: "a Status",
    behave: (response) =>
      response
        .writeHead(500, { "content-type": "application/json" })
        .end('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no"}'),
    message: "no",
  },
  {
    name: "nothing",
    behave: (response) => response.writeHead(200, { "content-type": "application/json" }).end(),
    message: "0-length response with status code: 200 and content type: application/json",
  },
  {
    name: "too much",
    behave: (response) => response.end("x".repeat(1001)),
    message: "the response is larger than 1000 bytes",
  },
  {
    name: "a part of it",
    behave: (response) => {
      response.writeHead(200, { "content-length": "10" }).write("{");
      setImmediate(() => response.destroy());
    },
    message: "unexpected error when reading response body. Please retry. Original error: unexpected EOF",
  },
];

for (const { name, behave, message } of answers)
  test(`an answer of ${name} is reported in the words of Kubernetes`, async () => {
    await using at = await setup({ behave });
    await assert.rejects(at.call(), { name: "WebhookError", message });
  });

test("redirects are not followed", async () => {
  await using other = await setup();
  await using at = await setup({ behave: (response) => response.writeHead(307, { location: other.url }).end() });
  await assert.rejects(at.call(), /status code 307/);
  assert.equal(other.webhook.asked.length, 0);
});

test("what keeps a webhook from being called is reported in the words of Go's client", async () => {
  await using at = await setup({ behave: (response) => response.destroy() });
  const says = (client: WebhookClientConfig, message: string): Promise<void> => assert.rejects(at.call(client), { message });
  const post = (url: string): string => `Post "${url}?timeout=30s":`;
  await says({}, "webhook configuration must have either service or URL");
  await says({ url: at.url }, `${post(at.url)} EOF`);
  await says({ url: at.url, caBundle: "Z2FyYmFnZQ==" }, "unable to load root certificates: unable to parse bytes as PEM block");
  await says({ url: "https://127.0.0.1:1/x" }, `${post("https://127.0.0.1:1/x")} dial tcp 127.0.0.1:1: connect: connection refused`);
  await says({ service: { namespace: "ops", name: "gone", port: 8443 } }, `${post("https://gone.ops.svc:8443/")} service "gone" not found`);
  await assert.rejects(
    at.call({ url: `https://localhost:${at.port}/` }),
    /x509: certificate is not valid for any names, but wanted to match localhost$/,
  );
});

test("a server that speaks no TLS is recognized", async () => {
  const plain = createServer((_request, response) => response.end("hi"));
  using _closing = { [Symbol.dispose]: () => void plain.close() };
  plain.listen(0, "127.0.0.1");
  await once(plain, "listening");
  await using at = await setup();
  const call = at.call({ url: `https://127.0.0.1:${(plain.address() as AddressInfo).port}/` });
  await assert.rejects(call, /: http: server gave HTTP response to HTTPS client$/);
});

for (const url of ["https://169.254.169.254/latest", "https://[fe80::1]/x", "https://0.0.0.0/x", "https://2852039166/latest"])
  test(`${url} is not called`, async () => {
    await using at = await setup();
    await assert.rejects(at.call({ url }), /^WebhookError: address \S+ is not allowed$/);
  });

test("a name that leads to a link-local address is not called", async () => {
  const lookup: LookupFunction = (_name, { all }, done) =>
    all === true ? done(null, [{ address: "169.254.169.254", family: 4 }]) : done(null, "169.254.169.254", 4);
  await using at = await setup({ lookup });
  await assert.rejects(at.call({ url: "https://metadata.example.com/x" }), { message: "address 169.254.169.254 is not allowed" });
});
