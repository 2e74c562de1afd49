import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import { StatusError } from "@coxswain/machinery";
import { anonymous } from "../authentication/authenticator.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { RequestHandler } from "../contracts/request-context.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { textReply } from "../http/exchange.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import { parseBool, parseQuery } from "../request/options.ts";
import { parseRequest } from "../request/request-info.ts";
import { servedResources } from "../storage/served-resource.ts";
import { createResourceHandler, type ResourceHandlerOptions } from "./serve-resource.ts";

const registry = createResourceRegistry();
const answering =
  (name: string): RequestHandler =>
  async ({ info, maxBytes }) =>
    textReply(200, `${name} ${info.namespace}/${info.name}${maxBytes < Number.POSITIVE_INFINITY ? ` up to ${maxBytes}` : ""}`);

const handlerOf = (more: Partial<ResourceHandlerOptions> = {}) =>
  createResourceHandler({
    registry,
    served: servedResources(registry),
    verbs: {
      get: answering("get"),
      list: answering("list"),
      watch: answering("watch"),
      create: answering("create"),
      update: answering("update"),
      patch: answering("patch"),
      delete: answering("delete"),
      deletecollection: answering("deletecollection"),
    },
    effects: {
      resource: ({ resource }) => (resource === "tokenreviews" ? answering("review") : undefined),
      subresource: (_definition, name) => (name === "log" ? { answers: "connection", handle: answering("log") } : undefined),
    },
    limits: undefined,
    ...more,
  });

async function send(method: string, url: string, handle = handlerOf(), headers: Record<string, string> = {}): Promise<string> {
  const [path = "", query = ""] = url.split("?");
  const parsed = parseQuery(query);
  const info = parseRequest(method, path, parseBool(parsed.get("watch"))) as ResourceRequest;
  const request = { method, path, query, headers, remoteAddress: "", http1: false };
  const exchange: Exchange = { request, query: parsed, body: new Uint8Array(0), info, user: anonymous, requestId: "1", warnings: [] };
  try {
    const reply = await handle(exchange, info);
    assert.ok(reply.body.kind === "bytes");
    return `${reply.status} ${Buffer.from(reply.body.bytes).toString().trim()}`;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.status.reason}`;
    throw error;
  }
}

describe("a request comes to the handler of its verb", () => {
  const pods = "/api/v1/namespaces/a/pods";
  const cases = [
    { method: "GET", url: `${pods}/b`, expect: "200 get a/b" },
    { method: "GET", url: pods, expect: "200 list a/" },
    { method: "GET", url: "/api/v1/pods", expect: "200 list /" },
    { method: "GET", url: `${pods}?watch=1`, expect: "200 watch a/" },
    { method: "POST", url: pods, expect: "200 create a/" },
    { method: "PUT", url: `${pods}/b`, expect: "200 update a/b" },
    { method: "PATCH", url: `${pods}/b`, expect: "200 patch a/b" },
    { method: "DELETE", url: `${pods}/b`, expect: "200 delete a/b" },
    { method: "DELETE", url: pods, expect: "200 deletecollection a/" },
    { method: "GET", url: "/api/v1/namespaces/a", expect: "200 get /a" },
    { method: "POST", url: "/apis/authentication.k8s.io/v1/tokenreviews", expect: "200 review /" },
    { method: "GET", url: `${pods}/b/log`, expect: "200 log a/b" },
  ];
  for (const { method, url, expect } of cases) test(`${method} ${url}`, async () => assert.equal(await send(method, url), expect));
});

describe("a request is refused", () => {
  const pods = "/api/v1/namespaces/a/pods";
  const cases = [
    { name: "a name in a POST", method: "POST", url: `${pods}/b`, expect: "405 MethodNotAllowed" },
    { name: "no name in a PUT", method: "PUT", url: pods, expect: "405 MethodNotAllowed" },
    { name: "no namespace for what has one", method: "GET", url: "/api/v1/pods/b", expect: "405 MethodNotAllowed" },
    { name: "a namespace for what has none", method: "GET", url: "/api/v1/namespaces/a/nodes/b", expect: "404 NotFound" },
    { name: "a resource that a built-in group lacks", method: "GET", url: "/apis/apps/v1/widgets", expect: "404 NotFound" },
    { name: "a group that nothing defines", method: "GET", url: "/apis/example.com/v1/widgets", expect: "404 404 page not found" },
    { name: "a verb that the resource lacks", method: "DELETE", url: "/api/v1/componentstatuses/b", expect: "405 MethodNotAllowed" },
    { name: "a subresource that the resource lacks", method: "GET", url: `${pods}/b/made-up`, expect: "404 NotFound" },
    { name: "a verb that the subresource lacks", method: "DELETE", url: `${pods}/b/log`, expect: "405 MethodNotAllowed" },
    { name: "a path below a subresource that has none", method: "GET", url: `${pods}/b/log/c`, expect: "404 NotFound" },
  ];
  for (const { name, method, url, expect } of cases) test(name, async () => assert.equal(await send(method, url), expect));
  test("a form that no answer has", async () => {
    assert.equal(await send("GET", `${pods}/b`, handlerOf(), { accept: "text/html" }), "406 NotAcceptable");
  });
  test("a subresource that the resource lacks, in a form that no answer has", async () => {
    assert.equal(await send("GET", `${pods}/b/made-up`, handlerOf(), { accept: "text/html" }), "404 NotFound");
  });
});

test("what one request may cost comes from the limits", async () => {
  const limits = { maxBytes: () => 1_000, checkResource: () => undefined };
  assert.equal(await send("GET", "/api/v1/namespaces/a/pods/b", handlerOf({ limits })), "200 get a/b up to 1000");
});

test("a resource that costs too much is for another thread", async () => {
  const limits = {
    maxBytes: () => 1_000,
    checkResource: () => {
      throw new OffloadRequired();
    },
  };
  await assert.rejects(send("POST", "/api/v1/namespaces/a/pods", handlerOf({ limits })), OffloadRequired);
});
