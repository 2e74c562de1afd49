/**
 * What others need to check service account tokens by themselves.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */

import type { Reply } from "../contracts/http.ts";
import { bytesReply } from "../http/exchange.ts";
import type { VerificationKey } from "./signing-key.ts";
import type { ServiceAccountTokens } from "./tokens.ts";

/** Undefined for paths below that are not there. `serverAddress` is a host with its port. */
export function answerOpenId(tokens: ServiceAccountTokens, path: string, serverAddress: string): Reply | undefined {
  switch (path) {
    case ".well-known/openid-configuration":
      return document("application/json", {
        issuer: tokens.issuer,
        jwks_uri: `https://${serverAddress}/openid/v1/jwks`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: [...new Set([...tokens.keys.values()].map(({ algorithm }) => algorithm))],
      });
    case "openid/v1/jwks":
      return document("application/jwk-set+json", { keys: [...tokens.keys.values()].map(webKeyOf) });
    default:
      return undefined;
  }
}

function webKeyOf({ publicKey, id: kid, algorithm: alg }: VerificationKey): object {
  const { kty, crv, x, y, n, e } = publicKey.export({ format: "jwk" });
  return kty === "RSA" ? { use: "sig", kty, kid, alg, n, e } : { use: "sig", kty, kid, crv, alg, x, y };
}

const document = (contentType: string, value: object): Reply => ({
  ...bytesReply(200, contentType, Buffer.from(JSON.stringify(value))),
  headers: { "cache-control": "public, max-age=3600" },
});
