import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpRequest } from "../contracts/http.ts";
import { answeredHeaders, proxiedHeaders, upgradeHeaders } from "./forwarded-headers.ts";

const request = (headers: HttpRequest["headers"]): HttpRequest => ({
  method: "GET",
  path: "/",
  query: "",
  headers,
  remoteAddress: "10.1.1.1",
  http1: true,
});

test("what proves who asks, and what is about the connection, does not go on", () => {
  const headers = proxiedHeaders(
    request({
      ":method": "GET",
      ":authority": "api:6443",
      authorization: "Bearer secret",
      "impersonate-user": "root",
      "x-remote-user": "root",
      connection: "keep-alive, X-Hop",
      "x-hop": "1",
      te: "trailers",
      "transfer-encoding": "chunked",
      "x-forwarded-for": "10.2.2.2",
      cookie: "a=b",
      accept: ["text/html", "text/plain"],
    }),
    false,
  );
  assert.deepEqual(headers, {
    cookie: "a=b",
    accept: ["text/html", "text/plain"],
    te: "trailers",
    "x-forwarded-for": "10.2.2.2, 10.1.1.1",
    host: "api:6443",
  });
});

test("an upgrade goes on without the token among its protocols", () => {
  const offered = "v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io";
  const headers = upgradeHeaders(
    request({
      upgrade: "websocket",
      "sec-websocket-key": "k",
      "sec-websocket-protocol": offered,
      authorization: "Bearer secret",
      cookie: "c",
    }),
  );
  assert.deepEqual(headers, {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "k",
    "sec-websocket-protocol": "v5.channel.k8s.io, v4.channel.k8s.io",
  });
});

for (const upgrade of [false, true]) {
  test(`a token among the protocols of a request does not go on${upgrade ? ", where it is the only one" : " without an upgrade"}`, () => {
    const protocols = { "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.c2VjcmV0" };
    assert.equal(proxiedHeaders(request(protocols), upgrade)["sec-websocket-protocol"], undefined);
  });
}

test("an answer's headers come back, but for those of its connection", () => {
  const headers = {
    connection: "close, x-hop",
    "x-hop": "1",
    "transfer-encoding": "chunked",
    "set-cookie": ["a", "b"],
    "content-length": "3",
    etag: undefined,
  };
  assert.deepEqual(answeredHeaders(headers), { "set-cookie": ["a", "b"], "content-length": "3" });
});
