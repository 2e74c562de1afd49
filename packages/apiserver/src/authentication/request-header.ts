/**
 * An authenticating proxy: whoever has a certificate of an authority for proxies says in headers whose request it is.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
 */
import type { X509Certificate } from "node:crypto";
import type { Clock } from "@coxswain/machinery";
import { commonNameOf } from "@coxswain/pki";
import type { Authenticator, IncomingRequest } from "../contracts/authenticator.ts";
import { headerValuesOf } from "../contracts/header-values.ts";
import type { RequestHeaderNames } from "../contracts/request-header-names.ts";
import { authenticated, unclaimed } from "./authenticator.ts";
import type { ClientAuthorities } from "./client-authorities.ts";
import { subjectNameOf, verifiedCertificates } from "./client-certificate.ts";

/** Which proxies are trusted, and in which headers they say who their users are. */
export interface RequestHeaderOptions extends RequestHeaderNames {
  /** Common names of their certificates; without any, each certificate of the authorities is a proxy's. */
  readonly allowedNames: readonly string[];
}

interface Proxy {
  /** Undefined for a trusted one. */
  readonly problem: string | undefined;
}

/** Headers from anybody but a trusted proxy are nothing. */
export function requestHeaderAuthenticator(options: RequestHeaderOptions, clock: Clock, authorities: ClientAuthorities): Authenticator {
  const { allowedNames } = options;
  const [usernames, uids, groups] = [options.usernameHeaders, options.uidHeaders, options.groupHeaders].map((names) => names.map(lower));
  const prefixes = options.extraHeaderPrefixes.map(lower);
  const read = (certificate: X509Certificate): Proxy => {
    const name = commonNameOf(subjectNameOf(certificate));
    const isAllowed = allowedNames.length === 0 || allowedNames.includes(name);
    return { problem: isAllowed ? undefined : `x509: subject with cn=${name} is not in the allowed list` };
  };
  const verified = verifiedCertificates(clock, authorities, read);
  return (request) => {
    if (request.clientCertificate === undefined) return unclaimed;
    const proxy = verified(request.clientCertificate);
    const problem = typeof proxy === "string" ? proxy : proxy.problem;
    if (problem !== undefined) return { kind: "rejected", reason: problem };
    const name = firstOf(request, usernames);
    if (name === "") return unclaimed;
    return authenticated({ name, uid: firstOf(request, uids), groups: allOf(request, groups), extra: extraOf(request, prefixes) });
  };
}

const lower = (name: string): string => name.trim().toLowerCase();

function firstOf(request: IncomingRequest, names: readonly string[] = []): string {
  for (const name of names) {
    const [value = ""] = headerValuesOf(request, name);
    if (value !== "") return value;
  }
  return "";
}

const allOf = (request: IncomingRequest, names: readonly string[] = []): string[] =>
  names.flatMap((name) => headerValuesOf(request, name)).filter((value) => value !== "");

function extraOf(request: IncomingRequest, prefixes: readonly string[]): Record<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of prefixes) {
    for (const name of Object.keys(request.headers)) {
      if (!name.startsWith(prefix)) continue;
      const key = unescaped(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...headerValuesOf(request, name)]);
    }
  }
  return Object.fromEntries(extra);
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
