import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { quiescence, waitUntil } from "@coxswain/machinery/testing";
import { exportSPKI, importJWK } from "jose";
import type { Authentication } from "../../contracts/authenticator.ts";
import { claims, first, issuerOf, loadFor, type More, plain, rejected, start, user } from "./configured-issuers-under-test.ts";
import { newKey, sign, startIssuer, type TestIssuer } from "./issuer-under-test.ts";

const mapped: readonly { name: string; more?: More; claims?: object; expect: Authentication }[] = [
  { name: "a name with its prefix", expect: user() },
  { name: "groups", claims: { groups: ["a", "b"] }, expect: user({ groups: ["a", "b", "system:authenticated"] }) },
  { name: "one group", claims: { groups: "a" }, expect: user({ groups: ["a", "system:authenticated"] }) },
  {
    name: "groups that are none",
    claims: { groups: [1] },
    expect: rejected('oidc: parse groups claim "groups": it is no list of strings'),
  },
  { name: "a name that is none", claims: { sub: 7 }, expect: rejected('oidc: parse username claims "sub": it is not a string') },
  { name: "no name", claims: { sub: undefined }, expect: rejected('oidc: parse username claims "sub": claim not present') },
  {
    name: "the id of a token",
    claims: { jti: "7" },
    expect: user({ extra: { "authentication.kubernetes.io/credential-id": ["JTI=7"] } }),
  },
  {
    name: "an address of mail",
    more: { claimMappings: { ...plain, username: { claim: "email", prefix: "" } } },
    claims: { email: "j@a.example", email_verified: true },
    expect: user({ name: "j@a.example" }),
  },
  {
    name: "an address of mail that was not verified",
    more: { claimMappings: { ...plain, username: { claim: "email", prefix: "" } } },
    claims: { email: "j@a.example", email_verified: false },
    expect: rejected("oidc: email not verified"),
  },
  {
    name: "expressions",
    more: {
      claimMappings: {
        username: { expression: "claims.sub + ':' + claims.org.tenant__dot__id" },
        groups: { expression: "claims.roles.split(',').filter(r, r != 'none')" },
        uid: { expression: "string(int(claims.number))" },
        extra: [
          { key: "a.example/level", valueExpression: "claims.?level.orValue('low')" },
          { key: "a.example/none", valueExpression: "''" },
          { key: "a.example/list", valueExpression: "['x', '', string(claims['b.example/y'])]" },
        ],
      },
    },
    claims: { org: { "tenant.id": "t1" }, roles: "a,none,b", number: 7, "b.example/y": "z" },
    expect: user({
      name: "jane:t1",
      groups: ["a", "b", "system:authenticated"],
      uid: "7",
      extra: { "a.example/level": ["low"], "a.example/list": ["x", "z"] },
    }),
  },
  {
    name: "an expression about a claim that is missing",
    more: { claimMappings: { ...plain, username: { expression: "claims.nick" } } },
    expect: rejected("oidc: error evaluating username claim expression: expression 'claims.nick' resulted in error: no such key: nick"),
  },
  {
    name: "an expression that makes an empty name",
    more: { claimMappings: { ...plain, username: { expression: "''" } } },
    expect: rejected("oidc: empty username via CEL expression is not allowed"),
  },
  {
    name: "an expression that makes no name",
    more: { claimMappings: { ...plain, username: { expression: "1" } } },
    expect: rejected("oidc: error evaluating username claim expression: username claim expression must return a string"),
  },
  {
    name: "a claim that must be",
    more: { claimValidationRules: [{ claim: "hd", requiredValue: "a" }] },
    claims: { hd: "a" },
    expect: user(),
  },
  {
    name: "a claim that must be and is another",
    more: { claimValidationRules: [{ claim: "hd", requiredValue: "a" }] },
    claims: { hd: "b" },
    expect: rejected("oidc: required claim hd value does not match. Got = b, want = a"),
  },
  {
    name: "a claim that must be and is not",
    more: { claimValidationRules: [{ claim: "hd", requiredValue: "a" }] },
    expect: rejected("oidc: required claim hd not present in ID token"),
  },
  {
    name: "a rule that does not hold",
    more: { claimValidationRules: [{ expression: "claims.exp - claims.iat <= 60.0", message: "too long" }] },
    claims: { iat: 0 },
    expect: rejected(
      "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.iat <= 60.0' failed: too long",
    ),
  },
  {
    name: "a rule for users that does not hold",
    more: { userValidationRules: [{ expression: "!user.groups.exists(g, g.startsWith('system:'))", message: "reserved" }] },
    claims: { groups: ["system:masters"] },
    expect: rejected(
      "oidc: error evaluating user info validation rule: validation expression '!user.groups.exists(g, g.startsWith('system:'))' failed: reserved",
    ),
  },
];
for (const { name, more, claims: given, expect } of mapped) {
  test(`claims of a token: ${name}`, async (t) => {
    const under = await start(t, more);
    assert.deepEqual(await under.check(await sign(first(under), claims(under, given))), expect);
  });
}

test("audiences: one of several is enough", async (t) => {
  const under = await start(t, { issuer: { audiences: ["there", "here"], audienceMatchPolicy: "MatchAny" } });
  assert.equal((await under.check(await sign(first(under), claims(under, { aud: ["x", "here"] })))).kind, "authenticated");
  const answer = await under.check(await sign(first(under), claims(under, { aud: ["x", "y"] })));
  assert.deepEqual(answer, rejected('oidc: verify token: oidc: expected audience in ["here" "there"] got ["x" "y"]'));
});

test("times: a token counts from when it says until when it says, also while it is remembered", async (t) => {
  const under = await start(t);
  const now = under.clock.now() / 1000;
  const early = await under.check(await sign(first(under), claims(under, { nbf: now + 61 })));
  assert.match(early.kind === "rejected" ? early.reason : "", /before the nbf \(not before\) time/);
  assert.equal((await under.check(await sign(first(under), claims(under, { nbf: now + 60 })))).kind, "authenticated");
  const short = await sign(first(under), claims(under, { exp: now + 3 }));
  assert.equal((await under.check(short)).kind, "authenticated");
  assert.ok(!(under.checkNow(short) instanceof Promise));
  under.clock.advance(3_001);
  const late = await under.check(short);
  assert.match(late.kind === "rejected" ? late.reason : "", /token is expired/);
  const endless = await under.check(await sign(first(under), { ...claims(under), exp: undefined }));
  assert.match(endless.kind === "rejected" ? endless.reason : "", /token is expired/);
});

test("another issuer's token is for others to know", async (t) => {
  const under = await start(t);
  for (const token of [
    await sign(first(under), claims(under, { iss: "https://else.example" })),
    "eyJ.a.b",
    "abc",
    `ey${"A".repeat(1 << 20)}.${"B".repeat(1 << 20)}.c`,
  ]) {
    assert.deepEqual(await under.checkNow(token), rejected("invalid bearer token"));
  }
});

test("discovery at another place, below a path", async (t) => {
  const under = await start(t, {}, (issuer) => {
    issuer.discovery = { issuer: `${issuer.url}/tenant` };
  });
  const place = `${under.issuer.url}/other/.well-known/openid-configuration`;
  under.replace(await loadFor(issuerOf(under.issuer, { issuer: { url: `${under.issuer.url}/tenant`, discoveryURL: place } })));
  const token = await sign(first(under), claims(under, { iss: `${under.issuer.url}/tenant` }));
  await waitUntil("the new issuer counts", async () => (await under.checkNow(token)).kind === "authenticated");
});

test("keys: a new one counts once a token is signed with it, an old one no more once it is gone", async (t) => {
  const under = await start(t);
  const old = first(under);
  assert.equal((await under.check(await sign(old, claims(under)))).kind, "authenticated");
  const next = await newKey("two", "RS256");
  under.issuer.keys = [next];
  const renewed = await sign(next, claims(under));
  // Asking again and again for keys that are not there would let others keep the issuer busy.
  const asked = under.issuer.asked.length;
  assert.equal((await under.check(renewed)).kind, "rejected");
  assert.equal(under.issuer.asked.length, asked);
  under.clock.advance(1_000);
  assert.equal((await under.check(renewed)).kind, "authenticated");
  assert.equal((await under.check(await sign(old, claims(under, { jti: "2" })))).kind, "rejected");
});

test("keys: many tokens at once ask once", async (t) => {
  const under = await start(t);
  await under.check(await sign(first(under), claims(under)));
  under.clock.advance(5_000);
  const unknown = await newKey("three");
  const before = under.issuer.asked.length;
  const tokens = await Promise.all(Array.from({ length: 50 }, (_, i) => sign(unknown, claims(under, { jti: String(i) }))));
  const answers = await Promise.all(tokens.map((token) => under.checkNow(token)));
  assert.ok(answers.every(({ kind }) => kind === "rejected"));
  assert.equal(under.issuer.asked.length, before + 1);
});

const headOf = (head: object): string => Buffer.from(JSON.stringify(head)).toString("base64url");

test("hostile tokens: signatures that prove nothing", async (t) => {
  const under = await start(t, {}, () => undefined);
  const rsa = await newKey("rsa", "RS256");
  under.issuer.keys = [...under.issuer.keys, rsa];
  const good = await sign(first(under), claims(under));
  assert.equal((await under.check(good)).kind, "authenticated");
  const [, payload = "", signature = ""] = good.split(".");
  const publicKey = await importJWK(rsa.jwk, "RS256");
  assert.ok(!(publicKey instanceof Uint8Array));
  const secret = await crypto.subtle.importKey("raw", Buffer.from(await exportSPKI(publicKey)), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const body = `${headOf({ alg: "HS256", kid: "rsa" })}.${payload}`;
  const hmac = Buffer.from(await crypto.subtle.sign("HMAC", secret, Buffer.from(body))).toString("base64url");
  const other = await newKey("one");
  const forged: Record<string, string> = {
    "no algorithm": `${headOf({ alg: "none" })}.${payload}.`,
    "no algorithm in capitals": `${headOf({ alg: "None" })}.${payload}.${signature}`,
    "a public key as a secret": `${body}.${hmac}`,
    "another key of the same name": await sign(other, claims(under)),
    "a key that comes with it": `${headOf({ alg: "ES256", jwk: other.jwk })}.${(await sign(other, claims(under))).split(".").slice(1).join(".")}`,
    "another payload": `${good.split(".")[0]}.${headOf(claims(under, { sub: "root" }))}.${signature}`,
    "another algorithm": `${headOf({ alg: "RS256", kid: "one" })}.${payload}.${signature}`,
    "an extension that must be understood": `${headOf({ alg: "ES256", kid: "one", crit: ["exp"] })}.${payload}.${signature}`,
    "no signature": `${good.split(".")[0]}.${payload}.`,
    "a kid that is no text": `${headOf({ alg: "ES256", kid: 5 })}.${payload}.${signature}`,
  };
  for (const [name, token] of Object.entries(forged)) {
    under.clock.advance(2_000);
    const answer = await under.check(token);
    assert.equal(answer.kind, "rejected", name);
    assert.ok(!JSON.stringify(answer).includes(payload) && !under.log.join().includes(payload), name);
  }
});

const liars: readonly { name: string; lie: (issuer: TestIssuer) => void; says: RegExp }[] = [
  {
    name: "says that it is another one",
    lie: (issuer) => {
      issuer.discovery = { issuer: "https://else.example" };
    },
    says: /issuer did not match the issuer returned by provider, expected .* got \\"https:\/\/else.example/,
  },
  {
    name: "has no keys",
    lie: (issuer) => {
      issuer.discovery = { jwks_uri: "" };
    },
    says: /provider did not return JWKS URL/,
  },
  {
    name: "redirects without end",
    lie: (issuer) => {
      issuer.before = (request, response) => {
        response.writeHead(302, { location: `${request.url}x` }).end();
        return true;
      };
    },
    says: /stopped after 10 redirects/,
  },
  {
    name: "redirects to where nothing is checked",
    lie: (issuer) => {
      issuer.before = (_, response) => {
        response.writeHead(302, { location: "http://127.0.0.1:1/latest/meta-data" }).end();
        return true;
      };
    },
    says: /which is not an https URL/,
  },
  {
    name: "answers without end",
    lie: (issuer) => {
      issuer.before = (_, response) => {
        const more = (): void => void (response.write(Buffer.alloc(64 * 1024, " ")) ? setImmediate(more) : response.once("drain", more));
        response.on("error", () => undefined);
        if (!response.destroyed) more();
        return true;
      };
    },
    says: /the answer is larger than 1048576 bytes/,
  },
  {
    name: "answers with something else",
    lie: (issuer) => {
      issuer.before = (_, response) => {
        response.writeHead(200).end("<html>");
        return true;
      };
    },
    says: /is not valid JSON/,
  },
  {
    name: "fails",
    lie: (issuer) => {
      issuer.before = (_, response) => {
        response.writeHead(500).end("secret of the issuer");
        return true;
      };
    },
    says: /it answered 500/,
  },
];
for (const { name, lie, says } of liars) {
  test(`hostile issuers: one that ${name} is asked again later, and its tokens are refused`, async (t) => {
    const under = await start(t, {}, lie);
    await waitUntil("it is logged", () => under.log.length > 0);
    assert.match(under.log.join(), says);
    assert.doesNotMatch(under.log.join(), /secret of the issuer/);
    const token = await sign(first(under), claims(under));
    assert.deepEqual(await under.checkNow(token), rejected("oidc: authenticator not initialized"));
    under.issuer.discovery = {};
    under.issuer.before = () => false;
    await under.clock.advance(10_000);
    assert.equal((await under.check(token)).kind, "authenticated");
  });
}

test("hostile issuers: one that hangs is given up after a while", async (t) => {
  const under = await start(t, {}, (issuer) => {
    issuer.before = () => true;
  });
  await waitUntil("it is asked", () => under.issuer.asked.length > 0);
  under.clock.advance(30_000);
  await waitUntil("it is given up", () => under.log.length > 0);
  assert.match(under.log.join(), /no answer within 30 seconds/);
});

test("hostile issuers: keys behind a plain connection are not asked for, nor shared secrets taken", async (t) => {
  const under = await start(t, {}, (issuer) => {
    issuer.discovery = { jwks_uri: "http://127.0.0.1:1/keys" };
  });
  const token = await sign(first(under), claims(under));
  const answer = await under.check(token);
  assert.match(answer.kind === "rejected" ? answer.reason : "", /fetching keys .* which is not an https URL/);
});

test("hostile issuers: a certificate that the authority did not sign", async (t) => {
  const other = await startIssuer();
  t.after(() => other[Symbol.asyncDispose]());
  const under = await start(t, { issuer: { certificateAuthority: other.certificateAuthority } });
  await waitUntil("it is logged", () => under.log.length > 0);
  assert.match(under.log.join(), /self-signed certificate|unable to verify/);
});

test("tokens and keys are counted by a hash of the issuer, whose keys are forgotten with it", async (t) => {
  const under = await start(t);
  const good = await sign(first(under), claims(under));
  assert.equal((await under.check(good)).kind, "authenticated");
  const [issuer = assert.fail()] = [...under.metrics.issuers.issuers];
  const failures = issuer.latencies.failure.count;
  await under.checkNow(await sign(first(under), claims(under, { aud: "another" })));
  assert.equal(issuer.id, `sha256:${hash("sha256", under.issuer.url, "hex")}`);
  assert.deepEqual([issuer.latencies.success.count, issuer.latencies.failure.count], [1, failures + 1]);
  assert.deepEqual(issuer.fetched, { success: under.clock.now() / 1000 });
  assert.match(issuer.keys ?? "", /^sha256:[0-9a-f]{64}$/);
  under.replace(await loadFor());
  await quiescence({ observe: () => under.log.length });
  assert.deepEqual([issuer.fetched, issuer.keys], [{}, undefined]);
});

test("another configuration counts once its issuers have answered; until then, and when they do not, the old one", async (t) => {
  const under = await start(t);
  const second = await startIssuer();
  t.after(() => second[Symbol.asyncDispose]());
  second.keys = [await newKey("b")];
  const old = await sign(first(under), claims(under));
  const next = await sign(second.keys[0] ?? assert.fail(), claims(under, { iss: second.url }));
  assert.equal((await under.check(old)).kind, "authenticated");
  second.before = () => true;
  under.replace(await loadFor(issuerOf(second)));
  await waitUntil("the new one is asked", () => second.asked.length > 0);
  assert.equal((await under.checkNow(old)).kind, "authenticated");
  assert.deepEqual(await under.checkNow(next), rejected("invalid bearer token"));
  under.clock.advance(60_000);
  await waitUntil("the new one is given up", () => under.log.some((line) => line.includes("not every issuer has answered in time")));
  const again = await sign(first(under), claims(under));
  assert.equal((await under.checkNow(again)).kind, "authenticated");
  second.before = () => false;
  under.replace(await loadFor(issuerOf(second)));
  await waitUntil("the new one counts", async () => (await under.checkNow(next)).kind === "authenticated");
  assert.deepEqual(await under.checkNow(again), rejected("invalid bearer token"));
  under.replace(await loadFor());
  await quiescence({ observe: () => under.log.length });
  assert.deepEqual(await under.checkNow(next), rejected("invalid bearer token"));
  assert.deepEqual(under.metrics.authenticationConfig.counts, { failure: 1, success: 2 });
});
