import assert from "node:assert/strict";
import { test } from "node:test";
import { OverloadedError } from "@coxswain/store";
import { startApi } from "./api.ts";
import { beforeWrite, putOf } from "./scripted-writes.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const body = { metadata: { name: "x" } };

test("a write for which the store has no room may be sent again a little later", async () => {
  const api = await startApi();
  beforeWrite(api.store, putOf("/configmaps/default/x"), () => Promise.reject(new OverloadedError("too many writes wait for etcd")));
  const refused = await api.send("POST", maps, { body });
  assert.deepEqual(
    [refused.status, refused.body.reason, refused.body.message, refused.body.details],
    [429, "TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 }],
  );
  assert.equal((await api.send("POST", maps, { body })).status, 201);
});
