import assert from "node:assert/strict";
import { test } from "node:test";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { mergeAuthentication } from "./published-authentication.ts";

const now = 1_000_000_000_000;
const certificate = (name: string, at = now): string => issuePair("self", { subject: nameWith(name), usage: "client auth" }, at).cert;
const yearsMs = 20 * 365 * 86_400_000;
const [first, second, expired] = [certificate("first"), certificate("second"), certificate("expired", now - yearsMs)];

const cases = [
  { name: "adds its own to another server's", there: first, own: second, expect: first + second },
  { name: "adds nothing that is there", there: first + second, own: second, expect: first + second },
  { name: "forgets what has expired", there: expired + first, own: second, expect: first + second },
  {
    name: "forgets what is no certificate",
    there: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    own: first,
    expect: first,
  },
];
for (const { name, there, own, expect } of cases)
  test(`a server ${name}`, () => {
    assert.deepEqual(mergeAuthentication({ "client-ca-file": there, other: "x" }, { "client-ca-file": own }, now), {
      "client-ca-file": expect,
    });
  });

test("the names that servers give proxies are all of them, each once", () => {
  const key = "requestheader-allowed-names";
  assert.deepEqual(mergeAuthentication({ [key]: '["a","b"]' }, { [key]: '["b","c"]' }, now), { [key]: '["a","b","c"]' });
  assert.deepEqual(mergeAuthentication({ [key]: "nothing" }, { [key]: "[]" }, now), { [key]: "[]" });
});
