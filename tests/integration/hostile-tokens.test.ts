/** Tokens that are no tokens, at a server that knows every kind of them: none lets anybody in, and none gets into a log or an answer. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Log, loadAuthenticationConfiguration, type ServerOptions, staticContent, tokenAuthenticator } from "@coxswain/apiserver";
import { type Api, type Json, startApi } from "./api.ts";

const admin = { token: "admin-s3cret", name: "admin", uid: "", groups: ["system:masters"] };
const asAdmin = { authorization: "Bearer admin-s3cret" };

/** What a server says that an issuer at an address would, where nobody listens. */
const configuration = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer: {url: "https://127.0.0.1:1", audiences: [a]}
  claimMappings: {username: {claim: sub, prefix: ""}}
`;

interface Started {
  readonly api: Api;
  readonly log: string[];
  /** Tokens that the webhook was asked about. */
  readonly asked: string[];
}

async function start(more: Partial<ServerOptions> = {}): Promise<Started> {
  const log: string[] = [];
  const asked: string[] = [];
  const note = (fields: object, message: string): void => void log.push(`${message} ${JSON.stringify(fields, withErrors)}`);
  const all: Log = { debug: note, info: note, warn: note, error: note };
  const loaded = await loadAuthenticationConfiguration(configuration, { disallowedIssuers: [] });
  const webhook = {
    async post(body: Uint8Array) {
      const { spec } = JSON.parse(Buffer.from(body).toString());
      asked.push(spec.token);
      const review = { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", status: { error: `what is ${spec.token}?` } };
      return { status: 200, body: Buffer.from(JSON.stringify(review)), retryAfter: undefined };
    },
  };
  const api = await startApi({
    log: all,
    authenticators: [tokenAuthenticator([admin])],
    authentication: {
      bootstrapTokens: true,
      configuration: staticContent(() => loaded),
      tokenWebhook: { webhook, version: "v1", cacheMs: 0 },
    },
    ...more,
  });
  return { api, log, asked };
}

const withErrors = (_: string, value: unknown): unknown => (value instanceof Error ? (value.stack ?? value.message) : value);

const mega = 1024 * 1024;
const encoded = (value: unknown): string => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const own = "https://kubernetes.default.svc.cluster.local";
const head = encoded({ alg: "ES256" });

const tokens: readonly { name: string; token: string }[] = [
  { name: "a megabyte of letters", token: "x7Qz".repeat(mega / 4) },
  { name: "a megabyte of dots", token: `x7Qz${".".repeat(mega)}` },
  { name: "a megabyte of claims of this server", token: `${head}.${encoded({ iss: own, x7Qz: "a".repeat(mega) })}.c2ln` },
  { name: "a megabyte of claims of an issuer", token: `${head}.${encoded({ iss: "https://127.0.0.1:1", x7Qz: "a".repeat(mega) })}.c2ln` },
  { name: "a megabyte of signature", token: `${head}.${encoded({ iss: own, x7Qz: 1 })}.${"s".repeat(mega)}` },
  { name: "claims nested a hundred thousand times", token: `${head}.${encoded(`{"iss":${"[".repeat(1e5)}`)}.c2ln` },
  { name: "a list of claims", token: `${head}.${encoded(["x7Qz"])}.c2ln` },
  { name: "no claims", token: `${head}.${encoded("null")}.c2ln` },
  { name: "claims of a prototype", token: `${head}.${encoded('{"__proto__":{"iss":"x7Qz"}}')}.c2ln` },
  { name: "an unsigned token of this server", token: `${encoded({ alg: "none" })}.${encoded({ iss: own, sub: "x7Qz", aud: [own] })}.` },
  { name: "a head that is no object", token: `${encoded("7")}.${encoded({ iss: own, x7Qz: 1 })}.c2ln` },
  { name: "a bootstrap token of no Secret", token: "x7qz00.0123456789abcdef" },
  { name: "the name of a file", token: "../../../x7Qz" },
  { name: "letters of many bytes", token: "ключ-x7Qz-鍵" },
];

describe("hostile tokens", { concurrency: 1 }, () => {
  for (const { name, token } of tokens) {
    test(`${name} is 401, also where nobody may ask, and is nobody's in a review`, async () => {
      const { api, log } = await start();
      const headers = { authorization: `Bearer ${token}` };
      const answers = [
        await api.send("GET", "/api/v1/pods", { headers }),
        await api.send("GET", "/version", { headers }),
        await api.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {}, headers }),
      ];
      for (const { status, text } of answers) {
        assert.equal(status, 401);
        assert.doesNotMatch(text, /x7q/i);
      }
      const { body } = await api.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
        body: { spec: { token } },
        headers: asAdmin,
      });
      const { status }: Json = body;
      assert.notEqual(status.authenticated, true);
      assert.deepEqual(status.user, {});
      assert.doesNotMatch(JSON.stringify(status), /x7q/i);
      assert.doesNotMatch(log.join("\n"), /x7q/i);
      assert.doesNotMatch(log.join("\n"), /admin-s3cret/);
      assert.ok(log.some((line) => line.startsWith("failed to authenticate a request")));
      await api.server.close();
    });
  }

  test("a token that something knows is not shown to the webhook", async () => {
    const { api, asked } = await start();
    assert.equal((await api.send("GET", "/api/v1/pods", { headers: asAdmin })).status, 200);
    assert.deepEqual(asked, []);
    await api.server.close();
  });

  test("a review of a token that begins with a space is nobody's, not even the anonymous user's", async () => {
    const { api } = await start();
    const { body } = await api.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
      body: { spec: { token: " admin-s3cret" } },
      headers: asAdmin,
    });
    assert.deepEqual(body.status, { user: {} });
    await api.server.close();
  });
});
