/** An issuer of tokens on this machine, which can also lie, hang and answer with too much. */
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

export interface TestKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function newKey(kid: string, alg = "ES256"): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** A token with these claims; the head can be another one than the key's. */
export const sign = (key: TestKey, claims: Readonly<Record<string, unknown>>, head: Readonly<Record<string, unknown>> = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...head }).sign(key.privateKey);

export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  /** In PEM: who vouches for its certificate. */
  readonly certificateAuthority: string;
  /** Those of its key set. */
  keys: readonly TestKey[];
  /** What its discovery document says beside or instead of what is true. */
  discovery: Readonly<Record<string, unknown>>;
  /** Answers first, where it says so by true. */
  before: (...exchange: Parameters<RequestListener>) => boolean;
  /** The paths that were asked for. */
  readonly asked: string[];
}

export async function startIssuer(): Promise<TestIssuer> {
  const names = { dns: ["localhost"], ip: ["127.0.0.1"] };
  const pair = issuePair("self", { subject: nameWith("issuer"), usage: "server auth", names }, systemClock.now());
  let issuer: TestIssuer;
  const server = createServer(pair, (request, response) => {
    const path = request.url ?? "";
    issuer.asked.push(path);
    if (issuer.before(request, response)) return;
    const found =
      path === "/keys" ? { keys: issuer.keys.map(({ jwk }) => jwk) } : path.endsWith(wellKnown) ? documentOf(issuer) : undefined;
    response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? "secret of the issuer"));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  issuer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificateAuthority: pair.cert,
    keys: [],
    discovery: {},
    before: () => false,
    asked: [],
    [Symbol.asyncDispose]: () => close(server),
  };
  return issuer;
}

const wellKnown = "/.well-known/openid-configuration";
const documentOf = ({ url, discovery }: TestIssuer): object => ({ issuer: url, jwks_uri: `${url}/keys`, ...discovery });

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}
