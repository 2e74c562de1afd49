import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { staticContent } from "../contracts/content-provider.ts";
import { authority, client, connectedWith } from "./certificates-under-test.ts";
import { ClientAuthorities } from "./client-authorities.ts";
import { requestHeaderAuthenticator } from "./request-header.ts";

const clock = new ManualClock();
const given = { now: clock.now() };
const proxies = authority("proxies", given);
const users = authority("proxies", given);
const proxy = connectedWith(client("front-proxy", [], proxies, given).cert);
const other = connectedWith(client("jane", ["system:masters"], proxies, given).cert);
const user = connectedWith(client("front-proxy", [], users, given).cert);

const options = {
  allowedNames: ["front-proxy"],
  usernameHeaders: ["X-Remote-User", "X-Forwarded-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group", " X-Forwarded-Group "],
  extraHeaderPrefixes: ["X-Remote-Extra-"],
};
const authorities = new ClientAuthorities([staticContent(() => proxies.pem)]);
const authenticate = requestHeaderAuthenticator(options, clock, authorities);
const jane = (more: object = {}): object => ({
  kind: "authenticated",
  user: { name: "jane", uid: "", groups: ["system:authenticated"], extra: {}, ...more },
});

const cases = [
  { name: "the name", headers: [["X-Remote-User", "jane"]], expect: jane() },
  { name: "the first header with a name", headers: [["x-forwarded-user", "jane"]], expect: jane() },
  {
    name: "an empty name, then another",
    headers: [
      ["x-remote-user", ""],
      ["x-forwarded-user", "jane"],
    ],
    expect: jane(),
  },
  {
    name: "uid, groups and more",
    headers: [
      ["X-Remote-User", "jane"],
      ["X-Remote-Uid", "7"],
      ["X-Remote-Group", "devs"],
      ["X-Remote-Group", "ops"],
      ["X-Forwarded-Group", "night"],
      ["X-Remote-Group", ""],
      ["X-Remote-Extra-Acme.com%2fProject", "a"],
      ["X-Remote-Extra-acme.com%2Fproject", "b"],
      ["X-Remote-Extra-Bad%zz", "c"],
    ],
    expect: jane({
      uid: "7",
      groups: ["devs", "ops", "night", "system:authenticated"],
      extra: { "acme.com/project": ["a", "b"], "bad%zz": ["c"] },
    }),
  },
  {
    name: "a group with a comma is one group",
    headers: [
      ["X-Remote-User", "jane"],
      ["X-Remote-Group", "devs, system:masters"],
    ],
    expect: jane({ groups: ["devs, system:masters", "system:authenticated"] }),
  },
  {
    name: "a name that is sent twice is the first",
    headers: [
      ["X-Remote-User", "jane"],
      ["X-Remote-User", "root"],
    ],
    expect: jane(),
  },
  {
    name: "an anonymous user of the proxy stays so",
    headers: [
      ["X-Remote-User", "system:anonymous"],
      ["X-Remote-Group", "system:unauthenticated"],
    ],
    expect: jane({ name: "system:anonymous", groups: ["system:unauthenticated"] }),
  },
  { name: "no name", headers: [["X-Remote-Group", "system:masters"]], expect: { kind: "unclaimed" } },
  { name: "another spelling is another header", headers: [["X_Remote_User", "jane"]], expect: { kind: "unclaimed" } },
  { name: "nothing from who has no certificate", from: undefined, headers: [["X-Remote-User", "jane"]], expect: { kind: "unclaimed" } },
  {
    name: "nothing from a user with a certificate of a namesake authority",
    from: user,
    headers: [["X-Remote-User", "root"]],
    expect: { kind: "rejected", reason: "x509: certificate signed by unknown authority" },
  },
  {
    name: "nothing from a name that is no proxy's",
    from: other,
    headers: [["X-Remote-User", "root"]],
    expect: { kind: "rejected", reason: "x509: subject with cn=jane is not in the allowed list" },
  },
];
for (const { name, headers, expect, ...more } of cases) {
  test(`headers of a proxy: ${name}`, () => {
    const clientCertificate = "from" in more ? more.from : proxy;
    const joined: Record<string, string> = {};
    for (const [key = "", value = ""] of headers) {
      const at = key.toLowerCase();
      joined[at] = joined[at] === undefined ? value : `${joined[at]}, ${value}`;
    }
    assert.deepEqual(authenticate({ headers: joined, rawHeaders: headers.flat(), clientCertificate }), expect);
  });
}

test("headers of a proxy: without names, every certificate of the authority is a proxy's", () => {
  const open = requestHeaderAuthenticator({ ...options, allowedNames: [] }, clock, authorities);
  assert.deepEqual(open({ headers: { "x-remote-user": "jane" }, clientCertificate: other }), jane());
});
