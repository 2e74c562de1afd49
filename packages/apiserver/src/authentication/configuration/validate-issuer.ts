/** Where tokens come from and for whom they are. */
import { type FieldError, field, goQuote, messageOf, trimRight } from "@coxswain/machinery";
import { parseCertificates } from "../client-authorities.ts";
import type { IssuerConfiguration } from "./document.ts";

export function validateIssuer(issuer: IssuerConfiguration, path: string, disallowed: readonly string[]): FieldError[] {
  const { url, discoveryURL = "", certificateAuthority = "", egressSelectorType = "" } = issuer;
  const errors = url === "" ? [field.required(`${path}.url`)] : validateUrl(url, `${path}.url`, disallowed);
  if (discoveryURL !== "") {
    const at = `${path}.discoveryURL`;
    if (url !== "" && withoutSlashes(url) === withoutSlashes(discoveryURL)) {
      errors.push(field.invalid(at, discoveryURL, "discoveryURL must be different from URL"));
    }
    errors.push(...validateUrl(discoveryURL, at, []));
  }
  errors.push(...validateAudiences(issuer, path));
  const why = certificateAuthority === "" ? undefined : authorityProblem(certificateAuthority);
  if (why !== undefined) errors.push(field.invalid(`${path}.certificateAuthority`, "<omitted>", why));
  if (egressSelectorType !== "") errors.push(egressError(egressSelectorType, `${path}.egressSelectorType`));
  return errors;
}

const withoutSlashes = (url: string): string => trimRight(url, "/");

function validateUrl(text: string, path: string, disallowed: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (disallowed.includes(text)) {
    const shown = `[${disallowed.toSorted().join(" ")}]`;
    errors.push(field.invalid(path, text, `URL must not overlap with disallowed issuers: ${shown}`));
  }
  const problem = urlProblem(text);
  if (problem !== undefined) return [...errors, field.invalid(path, text, problem)];
  const [, scheme = "", authority = "", query = "", fragment = ""] =
    /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  if (scheme.toLowerCase() !== "https") errors.push(field.invalid(path, text, "URL scheme must be https"));
  if (authority.includes("@")) errors.push(field.invalid(path, text, "URL must not contain a username or password"));
  if (query !== "") errors.push(field.invalid(path, text, "URL must not contain a query"));
  if (fragment !== "") errors.push(field.invalid(path, text, "URL must not contain a fragment"));
  return errors;
}

/** What Go cannot parse. */
function urlProblem(text: string): string | undefined {
  const broken = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
  if (broken !== undefined) return `parse ${goQuote(text)}: invalid URL escape ${goQuote(broken)}`;
  if (/[\x00-\x1f\x7f]/.test(text)) return `parse ${goQuote(text)}: net/url: invalid control character in URL`;
  if (/^https?:\/\//i.test(text) && !URL.canParse(text)) return `parse ${goQuote(text)}: invalid URL`;
  return undefined;
}

function validateAudiences({ audiences = [], audienceMatchPolicy = "" }: IssuerConfiguration, path: string): FieldError[] {
  const at = `${path}.audiences`;
  if (audiences.length === 0) return [field.required(at, `at least one ${at} is required`)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, audience] of audiences.entries()) {
    if (audience === "") errors.push(field.required(`${at}[${i}]`));
    if (seen.has(audience)) errors.push(field.duplicate(`${at}[${i}]`, audience));
    seen.add(audience);
  }
  const policy = `${path}.audienceMatchPolicy`;
  if (audiences.length > 1 && audienceMatchPolicy !== "MatchAny") {
    errors.push(field.invalid(policy, audienceMatchPolicy, "audienceMatchPolicy must be MatchAny for multiple audiences"));
  }
  if (audiences.length === 1 && audienceMatchPolicy !== "" && audienceMatchPolicy !== "MatchAny") {
    errors.push(field.invalid(policy, audienceMatchPolicy, "audienceMatchPolicy must be empty or MatchAny for single audience"));
  }
  return errors;
}

function authorityProblem(pem: string): string | undefined {
  try {
    return parseCertificates(pem).length === 0 ? "data does not contain any valid RSA or ECDSA certificates" : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Connections are made directly here: no server has what would be selected. */
const egressError = (type: string, path: string): FieldError =>
  type === "controlplane" || type === "cluster"
    ? field.invalid(path, type, `oidc: egress lookup required with egress selector type ${goQuote(type)}`)
    : field.invalid(path, type, "egress selector must be either controlplane or cluster");
