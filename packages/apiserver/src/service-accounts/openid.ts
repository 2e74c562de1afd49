/**
 * What others need to check service account tokens by themselves.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */

import type { Reply } from "../contracts/http.ts";
import { bytesReply } from "../http/exchange.ts";
import { algorithm, type ServiceAccountTokens } from "./tokens.ts";

/** Undefined for paths below that are not there. `serverAddress` is a host with its port. */
export function answerOpenId(tokens: ServiceAccountTokens, path: string, serverAddress: string): Reply | undefined {
  switch (path) {
    case ".well-known/openid-configuration":
      return document("application/json", {
        issuer: tokens.issuer,
        jwks_uri: `https://${serverAddress}/openid/v1/jwks`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: [algorithm],
      });
    case "openid/v1/jwks": {
      const { crv, x, y } = tokens.key.publicKey.export({ format: "jwk" });
      return document("application/jwk-set+json", { keys: [{ use: "sig", kty: "EC", kid: tokens.key.id, crv, alg: algorithm, x, y }] });
    }
    default:
      return undefined;
  }
}

const document = (contentType: string, value: object): Reply => ({
  ...bytesReply(200, contentType, Buffer.from(JSON.stringify(value))),
  headers: { "cache-control": "public, max-age=3600" },
});
