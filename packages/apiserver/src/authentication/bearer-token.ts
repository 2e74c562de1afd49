/**
 * Bearer tokens that are known beforehand, each of one user.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file
 */

import { hash } from "node:crypto";
import type { Authentication, Authenticator, IncomingRequest } from "../contracts/authenticator.ts";
import { headerOf } from "../http/exchange.ts";
import { protocolToken } from "../http/websocket-protocol.ts";
import { authenticated, unclaimed } from "./authenticator.ts";
import type { TokenUser } from "./token-file.ts";

/** The answer to a bearer token that is of no user. */
export const invalidToken: Authentication = { kind: "rejected", reason: "invalid bearer token" };

/** Of two users with the same token the later one has it. */
export function tokenAuthenticator(users: readonly TokenUser[]): Authenticator {
  const byDigest = new Map(
    users.map(({ token, name, uid, groups }) => [digest(token), authenticated({ name, uid, groups, extra: {} })] as const),
  );
  return (request) => {
    const token = bearerToken(request);
    return token === undefined ? unclaimed : (byDigest.get(digest(token)) ?? invalidToken);
  };
}

/**
 * What is compared is the digest: how long a lookup takes reveals at most something about a digest, which does not help to
 * find its token, and no token stays in memory.
 */
const digest = (token: string): string => hash("sha256", token, "base64url");

/** Nothing but a first word `Bearer`, one space and a second word is a claim; further words are ignored. */
export function bearerToken(request: IncomingRequest): string | undefined {
  const [scheme, token] = headerOf(request, "authorization")?.trim().split(" ", 2) ?? [];
  return scheme?.toLowerCase() === "bearer" && token !== undefined && token !== "" ? token : protocolToken(request);
}
