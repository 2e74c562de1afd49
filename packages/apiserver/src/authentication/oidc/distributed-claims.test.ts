import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { claims, first, issuerOf, loadFor, start, type Under, user } from "./configured-issuers-under-test.ts";
import { sign, startIssuer } from "./issuer-under-test.ts";

const distributed: readonly {
  name: string;
  claims: (url: string) => object;
  answer?: (under: Under) => object;
  expect: RegExp | readonly string[];
}[] = [
  { name: "are those that the source has", claims: (url) => ({ endpoint: `${url}/groups` }), expect: ["a", "b"] },
  { name: "in the token itself go first", claims: (url) => ({ endpoint: `${url}/groups`, own: ["own"] }), expect: ["own"] },
  { name: "that come with the token are none", claims: () => ({ JWT: "x" }), expect: [] },
  {
    name: "of a source without a signature that counts",
    claims: (url) => ({ endpoint: `${url}/groups` }),
    answer: () => ({ sub: "x", exp: 1 }),
    expect: /could not expand distributed claims: verify distributed claim token: oidc: token is expired/,
  },
  {
    name: "of a source that does not say",
    claims: (url) => ({ endpoint: `${url}/groups` }),
    answer: (under) => ({ ...claims(under), groups: undefined }),
    expect: /jwt returned by distributed claim endpoint ".*" did not contain claim: groups/,
  },
  {
    name: "of an issuer that was not asked yet",
    claims: (url) => ({ endpoint: `${url}/groups` }),
    answer: (under) => ({ ...claims(under), iss: "https://127.0.0.1:1" }),
    expect: /verifier not initialized for issuer: "https:\/\/127.0.0.1:1"/,
  },
  {
    name: "behind a plain connection are not asked for",
    claims: () => ({ endpoint: "http://127.0.0.1:1/groups" }),
    expect: /while getting distributed claim "groups": will not ask for http/,
  },
  { name: "of a source that is not there", claims: (url) => ({ endpoint: `${url}/nothing` }), expect: /it answered 404/ },
];
for (const { name, claims: source, answer, expect } of distributed) {
  test(`distributed groups ${name}`, async (t) => {
    const under = await start(t);
    const { issuer } = under;
    const shown: (string | undefined)[] = [];
    const groups = await sign(first(under), { ...claims(under), groups: ["a", "b"], ...answer?.(under) });
    issuer.before = (request, response) => {
      if (request.url !== "/groups") return false;
      shown.push(request.headers.authorization);
      response.end(groups);
      return true;
    };
    const { own, ...given } = source(issuer.url) as { own?: string[] };
    const more = {
      _claim_names: { groups: "src" },
      _claim_sources: { src: { ...given, access_token: "s3cret" } },
      ...(own && { groups: own }),
    };
    const token = await sign(first(under), claims(under, more));
    // The first that names an issuer makes it be asked.
    await under.check(token);
    const waits = `not initialized for issuer: "${issuer.url}"`;
    await waitUntil("the issuer of the groups has answered", async () => {
      const known = await under.checkNow(token);
      return known.kind !== "rejected" || !known.reason.includes(waits);
    });
    const known = await under.checkNow(token);
    if (expect instanceof RegExp) assert.match(known.kind === "rejected" ? known.reason : "", expect);
    else assert.deepEqual(known, user({ groups: [...expect, "system:authenticated"] }));
    assert.ok(shown.every((one) => one === "Bearer s3cret"));
    assert.doesNotMatch(JSON.stringify(known) + under.log.join(), /s3cret/);
  });
}

test("distributed groups: the token for a source goes nowhere else", async (t) => {
  const under = await start(t);
  const other = await startIssuer();
  t.after(() => other[Symbol.asyncDispose]());
  const shown: (string | undefined)[] = [];
  other.before = (request) => {
    shown.push(request.headers.authorization);
    return false;
  };
  under.replace(
    await loadFor(
      issuerOf(under.issuer, { issuer: { certificateAuthority: under.issuer.certificateAuthority + other.certificateAuthority } }),
    ),
  );
  under.issuer.before = (request, response) => {
    if (request.url !== "/groups") return false;
    response.writeHead(307, { location: `${other.url}/groups` }).end();
    return true;
  };
  const source = { endpoint: `${under.issuer.url}/groups`, access_token: "s3cret" };
  const token = await sign(first(under), claims(under, { _claim_names: { groups: "src" }, _claim_sources: { src: source } }));
  await waitUntil("the other one is asked", async () => {
    await under.checkNow(token);
    return shown.length > 0;
  });
  assert.ok(shown.every((one) => one === undefined));
});
