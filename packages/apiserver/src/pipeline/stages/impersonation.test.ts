import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "@coxswain/machinery";
import type { UserInfo } from "../../contracts/authenticator.ts";
import { refuseImpersonation } from "./impersonation.ts";

const admin: UserInfo = { name: "admin", uid: "", groups: ["system:masters"], extra: {} };
const unnamed = (fields: string): string => `requested &user.DefaultInfo{Name:"", ${fields}} without impersonating a user name`;

const cases = [
  { headers: { "user-agent": "kubectl", authorization: "Bearer x" }, expect: undefined },
  { headers: { "impersonate-user": "" }, expect: undefined },
  {
    headers: { "impersonate-user": "jane", "impersonate-group": "system:masters" },
    expect: [
      403,
      'users "jane" is forbidden: User "admin" cannot impersonate resource "users" in API group "" at the cluster scope: this server impersonates nobody',
    ],
  },
  {
    headers: { "impersonate-user": "system:serviceaccount:ns:robot" },
    expect: [
      403,
      'serviceaccounts "robot" is forbidden: User "admin" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns": this server impersonates nobody',
    ],
  },
  {
    headers: { "impersonate-group": "a, b" },
    expect: [400, unnamed('UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)')],
  },
  { headers: { "impersonate-uid": "7" }, expect: [400, unnamed('UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)')] },
  {
    headers: { "impersonate-extra-b": "2", "impersonate-extra-a%2fa": "1" },
    expect: [400, unnamed('UID:"", Groups:[]string(nil), Extra:map[string][]string{"a/a":[]string{"1"}, "b":[]string{"2"}}')],
  },
];
for (const { headers, expect } of cases)
  test(`a request with ${JSON.stringify(headers)} ${expect === undefined ? "is the sender's own" : "is refused"}`, () => {
    const request = { method: "GET", path: "/", query: "", headers, remoteAddress: "", http1: false };
    try {
      refuseImpersonation(request, admin);
      assert.equal(undefined, expect);
    } catch (error) {
      assert.ok(error instanceof StatusError);
      assert.deepEqual([error.status.code, error.message], expect);
    }
  });
