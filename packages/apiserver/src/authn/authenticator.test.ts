import assert from "node:assert/strict";
import { test } from "node:test";
import { type Authenticator, authenticated, unclaimed, unionAuthenticator } from "./authenticator.ts";
import { tokenAuthenticator } from "./bearer-token.ts";

const authenticate = tokenAuthenticator([{ token: "s3cret", name: "jane", uid: "7", groups: ["devs"] }]);
const jane = { kind: "authenticated", user: { name: "jane", uid: "7", groups: ["devs", "system:authenticated"], extra: {} } };
const rejected = { kind: "rejected", reason: "invalid bearer token" };

const cases = [
  { authorization: "Bearer s3cret", expect: jane },
  { authorization: "bearer s3cret", expect: jane },
  { authorization: "  Bearer s3cret ", expect: jane },
  { authorization: "Bearer s3cret more", expect: jane },
  { authorization: "Bearer wrong", expect: rejected },
  { authorization: "Bearer  s3cret", expect: unclaimed },
  { authorization: "Bearer ", expect: unclaimed },
  { authorization: "Bearer", expect: unclaimed },
  { authorization: "Basic s3cret", expect: unclaimed },
  { authorization: "", expect: unclaimed },
  { authorization: undefined, expect: unclaimed },
];
for (const { authorization, expect } of cases) {
  test(`bearer token: ${JSON.stringify(authorization)} is ${expect.kind}`, () =>
    assert.deepEqual(authenticate({ headers: { authorization } }), expect));
}

const known: Authenticator = () => authenticated({ name: "a", uid: "", groups: [], extra: {} });
const silent: Authenticator = () => unclaimed;
const refusing: Authenticator = async () => ({ kind: "rejected", reason: "no" });
const unions = [
  { name: "the first that knows the user wins", of: [silent, refusing, known], expect: "authenticated" },
  { name: "a rejection counts when nobody knows the user", of: [refusing, silent], expect: "rejected" },
  { name: "nobody was addressed", of: [silent, silent], expect: "unclaimed" },
  { name: "no authenticator at all", of: [], expect: "unclaimed" },
];
for (const { name, of, expect } of unions) {
  test(`union: ${name}`, async () => assert.equal((await unionAuthenticator(of)({ headers: {} })).kind, expect));
}
