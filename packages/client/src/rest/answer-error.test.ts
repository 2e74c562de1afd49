import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "@coxswain/machinery";
import { configMaps } from "../resources/built-in.ts";
import { type ScriptedAnswer, scriptedClient } from "./scripted-transport.ts";

/** What client-go 0.36 makes of such answers to `GET configmaps "a"`. */
const cases: readonly [status: number, body: string, reason: string | undefined, message: string][] = [
  [400, "", "BadRequest", "the server rejected our request for an unknown reason (get configmaps a)"],
  [401, "", "Unauthorized", "the server has asked for the client to provide credentials (get configmaps a)"],
  [403, "keep out\n", "Forbidden", "keep out (get configmaps a)"],
  [404, "", "NotFound", "the server could not find the requested resource (get configmaps a)"],
  [405, "", "MethodNotAllowed", "the server does not allow this method on the requested resource (get configmaps a)"],
  [406, "", "NotAcceptable", "the server was unable to respond with a content type that the client supports (get configmaps a)"],
  [409, "", "Conflict", "the server reported a conflict (get configmaps a)"],
  [415, "JSON only", "UnsupportedMediaType", "JSON only (get configmaps a)"],
  [418, "", undefined, "the server responded with the status code 418 but did not return more information (get configmaps a)"],
  [422, "", "Invalid", "the server rejected our request due to an error in our request (get configmaps a)"],
  [429, "", "TooManyRequests", "the server has received too many requests and has asked us to try again later (get configmaps a)"],
  [500, 'a "b"', "InternalError", 'an error on the server ("a \\"b\\"") has prevented the request from succeeding (get configmaps a)'],
  [503, "", "ServiceUnavailable", "the server is currently unable to handle the request (get configmaps a)"],
  [
    504,
    "",
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request (get configmaps a)",
  ],
];
async function errorOf(answer: ScriptedAnswer): Promise<StatusError> {
  const { client } = scriptedClient(() => answer);
  try {
    await client.resource(configMaps).get("a");
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  return assert.fail("no error");
}

for (const [status, body, reason, message] of cases)
  test(`${status} without a Status`, async () => {
    const error = await errorOf({ status, body, headers: { "content-type": "text/plain; charset=utf-8" } });
    assert.equal(error.message, message);
    assert.equal(error.status.reason, reason);
    assert.equal(error.code, status);
    assert.deepEqual(error.status.details, {
      name: "a",
      kind: "configmaps",
      causes: [{ reason: "UnexpectedServerResponse", message: body.trim() }],
    });
  });

test("the server's own Status comes as it is, with the time after which to come back", async () => {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "later",
    reason: "Mine",
    details: { name: "a" },
  };
  const error = await errorOf({ status: 418, body: status, headers: { "retry-after": "7" } });
  assert.deepEqual(error.status, { ...status, code: 418, details: { name: "a", retryAfterSeconds: 7 } });
});

test("binary answers are not shown", async () => {
  const error = await errorOf({ status: 500, body: new Uint8Array([0, 255]), headers: { "content-type": "application/octet-stream" } });
  assert.match(error.message, /an error on the server \("unknown"\)/);
});
