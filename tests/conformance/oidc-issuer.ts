/** An issuer of OpenID Connect that needs no network, and no library for its tokens. */
import { createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";

export interface OidcIssuer extends AsyncDisposable {
  readonly url: string;
  /** In PEM: who vouches for its certificate. */
  readonly certificateAuthority: string;
  /** Signed by RS256. */
  token(claims: Readonly<Record<string, unknown>>): string;
}

export async function startOidcIssuer(): Promise<OidcIssuer> {
  const { cert, key } = issuePair(
    "self",
    { subject: nameWith("issuer"), usage: "server auth", names: { dns: [], ip: ["127.0.0.1"] } },
    systemClock.now(),
  );
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const server = createServer({ cert, key }, (request, response) => {
    const documents: Readonly<Record<string, object>> = {
      "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
      "/keys": { keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] },
    };
    const found = documents[request.url ?? ""];
    response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(found ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    certificateAuthority: cert,
    token(claims) {
      const signed = `${encoded({ alg: "RS256", kid: "one", typ: "JWT" })}.${encoded({ iss: url, ...claims })}`;
      return `${signed}.${createSign("RSA-SHA256").update(signed).sign(keys.privateKey, "base64url")}`;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
