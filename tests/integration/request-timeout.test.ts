import assert from "node:assert/strict";
import { test } from "node:test";
import { quiescence } from "@coxswain/machinery/testing";
import { startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const invalid = "invalid timeout specified in the request URL - time: ";

const cases: readonly { readonly path: string; readonly status: number; readonly message?: string }[] = [
  { path: `${maps}?timeout=10s`, status: 200 },
  { path: `${maps}?timeout=`, status: 200 },
  { path: `${maps}?timeout=0s`, status: 200 },
  { path: `${maps}?timeout=-1s`, status: 200 },
  { path: `${maps}?timeout=2400h`, status: 200 },
  { path: "/openapi/v3?timeout=32s", status: 200 },
  { path: `${maps}?timeout=soon`, status: 400, message: `${invalid}invalid duration "soon"` },
  { path: `${maps}?timeout=10`, status: 400, message: `${invalid}missing unit in duration "10"` },
  { path: "/version?timeout=1x", status: 400, message: `${invalid}unknown unit "x" in duration "1x"` },
];
for (const { path, status, message } of cases) {
  test(`${path} is answered with ${status}`, async () => {
    const api = await startApi();
    const answer = await api.send("GET", path);
    assert.equal(answer.status, status);
    assert.equal(answer.body.message, message);
  });
}

test("a watch takes no timeout", async () => {
  const api = await startApi();
  assert.equal((await api.watch(`${maps}?watch=1&timeout=soon`)).status, 200);
});

test("a request that is not done in time is answered with 504", async () => {
  const api = await startApi();
  const pending = api.send("GET", `${maps}?timeout=1s&resourceVersion=${2 ** 50}`);
  await quiescence({ clock: api.clock });
  api.clock.advance(1_000);
  const { status, body } = await pending;
  assert.equal(status, 504);
  assert.equal(body.reason, "Timeout");
  assert.equal(body.message, "Timeout: request did not complete within the allotted timeout");
});
