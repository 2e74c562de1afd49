import assert from "node:assert/strict";
import { test } from "node:test";
import { credentialsFor } from "./choose-credentials.ts";

const url = (text: string) => ({ url: text });
const service = (port?: number) => ({ service: { namespace: "ops", name: "hooks", ...(port === undefined ? {} : { port }) } });

const cases = [
  { client: url("https://a.example.com:8443/x"), users: ["a.example.com:8443", "*"], expect: "a.example.com:8443" },
  { client: url("https://a.example.com:8443"), users: ["a.example.com", "*"], expect: "*" },
  { client: url("https://a.example.com:8443"), users: ["*.example.com:8443", "*.com:8443"], expect: "*.example.com:8443" },
  { client: url("https://a.example.com:8443"), users: ["*.com:8443", "*"], expect: "*.com:8443" },
  { client: url("https://a.example.com"), users: ["a.example.com", "*"], expect: "a.example.com" },
  { client: url("https://a.example.com:443"), users: ["a.example.com:443", "a.example.com"], expect: "a.example.com:443" },
  { client: url("https://a.example.com"), users: ["*.com:443", "a.example.com"], expect: "*.com:443" },
  { client: url("https://a.example.com"), users: ["*.example.com"], expect: "*.example.com" },
  { client: url("https://[::1]:8443"), users: ["[::1]:8443"], expect: "[::1]:8443" },
  { client: service(), users: ["hooks.ops.svc", "*"], expect: "hooks.ops.svc" },
  { client: service(8443), users: ["hooks.ops.svc", "hooks.ops.svc:8443"], expect: "hooks.ops.svc:8443" },
  { client: service(8443), users: ["*.ops.svc:8443", "*"], expect: "*.ops.svc:8443" },
  { client: service(), users: ["*.svc"], expect: "*.svc" },
  { client: service(), users: ["other.ops.svc"], expect: undefined },
];
for (const { client, users, expect } of cases)
  test(`${JSON.stringify(client)} is asked as ${expect ?? "nobody"} of ${users.join(" and ")}`, () => {
    const byName = Object.fromEntries(users.map((name) => [name, { username: name }]));
    assert.equal(credentialsFor({ byName }, client)?.username, expect);
  });

test("whoever has no user by a name is asked as that of the current context", () => {
  const users = { byName: { other: { username: "other" } }, current: { username: "current" } };
  assert.equal(credentialsFor(users, url("https://a.example.com"))?.username, "current");
});
