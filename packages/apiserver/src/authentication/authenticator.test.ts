import assert from "node:assert/strict";
import { test } from "node:test";
import type { Authenticator } from "../contracts/authenticator.ts";
import { authenticated, unclaimed, unionAuthenticator } from "./authenticator.ts";
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

const asProtocol = (token: string) => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;
const offers = [
  { name: "a token beside another subprotocol", protocols: `${asProtocol("s3cret")}, v1.json`, expect: jane },
  { name: "a wrong token", protocols: `v1.json,${asProtocol("wrong")}`, expect: rejected },
  { name: "a token alone", protocols: asProtocol("s3cret"), expect: rejected },
  { name: "two tokens", protocols: `${asProtocol("s3cret")},${asProtocol("s3cret")}`, expect: rejected },
  { name: "padded base64", protocols: `${asProtocol("s3cret")}==,v1.json`, expect: rejected },
  { name: "no token", protocols: "v1.json", expect: unclaimed },
  { name: "an empty token", protocols: `${asProtocol("")},v1.json`, expect: unclaimed },
];
for (const { name, protocols, expect } of offers) {
  test(`subprotocols of a WebSocket: ${name} is ${expect.kind}`, () => {
    const headers = { upgrade: "websocket", "sec-websocket-protocol": protocols };
    assert.deepEqual(authenticate({ headers }), expect);
    assert.deepEqual(authenticate({ headers: { "sec-websocket-protocol": protocols } }), unclaimed);
  });
}

const known: Authenticator = () => authenticated({ name: "a", uid: "", groups: [], extra: {} });
const silent: Authenticator = () => unclaimed;
const refusing: Authenticator = async () => ({ kind: "rejected", reason: "no" });
const unions = [
  { name: "the first that knows the user wins", of: [silent, refusing, known], expect: "authenticated" },
  { name: "a rejection counts when no authenticator knows the user", of: [refusing, silent], expect: "rejected" },
  { name: "no authenticator claims the credentials", of: [silent, silent], expect: "unclaimed" },
  { name: "no authenticator at all", of: [], expect: "unclaimed" },
];
for (const { name, of, expect } of unions) {
  test(`union: ${name}`, async () => assert.equal((await unionAuthenticator(of)({ headers: {} })).kind, expect));
}
