/** What a token says of itself before anything of it is believed. */
import type { TokenHeader } from "./key-set.ts";

/** The issuer that a token names; undefined for what is no token of this form. */
export function untrustedIssuer(token: string): string | undefined {
  const [, payload, signature, ...more] = token.split(".", 4);
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  const iss = objectIn(payload)?.iss;
  // Google has issued tokens under both names.
  return iss === "accounts.google.com" ? "https://accounts.google.com" : typeof iss === "string" ? iss : undefined;
}

/** @throws Error in Kubernetes' words */
export function untrustedHeader(token: string): TokenHeader {
  const { alg, kid = "" } = objectIn(token.slice(0, token.indexOf("."))) ?? {};
  if (typeof alg !== "string" || typeof kid !== "string") throw new Error("oidc: malformed jwt");
  return { alg, kid };
}

/** A part of a token, if it is an object at all. */
function objectIn(part: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
