/** From the claims of a token to a user, by the rules of its issuer. */
import { CelList, type CelValue } from "@coxswain/cel";
import { messageOf } from "@coxswain/machinery";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { CompiledIssuer, CompiledRule } from "../configuration/compile-issuer.ts";
import type { ClaimExpression } from "../configuration/expressions.ts";
import { type Claims, claimsValue, jsonValue } from "./claim-values.ts";

/** @throws Error in Kubernetes' words when the claims make no user */
export function mapClaims(issuer: CompiledIssuer, claims: Claims): UserInfo {
  const value = claimsValue(claims);
  const user = {
    name: usernameOf(issuer, claims, value),
    groups: groupsOf(issuer, claims, value),
    uid: uidOf(issuer, claims, value),
    extra: extraOf(issuer, claims, value),
  };
  checkRequired(issuer, claims);
  check(issuer.claimRules, value, "claim validation expression");
  const { name: username, uid, groups, extra } = user;
  if (issuer.userRules.length > 0) check(issuer.userRules, jsonValue({ username, uid, groups, extra }), "user info validation rule");
  return user;
}

function usernameOf({ configuration, username }: CompiledIssuer, claims: Claims, value: CelValue): string {
  if (username !== undefined) {
    const name = textOf(username, value, "username");
    if (name === "") throw new Error("oidc: empty username via CEL expression is not allowed");
    return name;
  }
  const { claim = "", prefix = "" } = configuration.claimMappings.username;
  const name = stringClaim(claims, claim, `oidc: parse username claims ${JSON.stringify(claim)}`);
  if (claim === "email" && Object.hasOwn(claims, "email_verified")) {
    const isVerified = claims.email_verified;
    if (typeof isVerified !== "boolean") throw new Error("oidc: parse 'email_verified' claim: it is not a bool");
    if (!isVerified) throw new Error("oidc: email not verified");
  }
  return prefix + name;
}

function groupsOf({ configuration, groups }: CompiledIssuer, claims: Claims, value: CelValue): readonly string[] {
  const { claim = "", prefix = "" } = configuration.claimMappings.groups;
  if (claim !== "" && Object.hasOwn(claims, claim)) {
    const given = claims[claim];
    const list: readonly unknown[] = Array.isArray(given) ? given : typeof given === "string" ? [given] : given === null ? [] : [undefined];
    return list.map((one) => {
      if (typeof one !== "string") throw new Error(`oidc: parse groups claim ${JSON.stringify(claim)}: it is no list of strings`);
      return prefix + one;
    });
  }
  return groups === undefined ? [] : evaluatedTexts(groups, value, "oidc: error evaluating group claim expression");
}

function uidOf({ configuration, uid }: CompiledIssuer, claims: Claims, value: CelValue): string {
  const { claim = "" } = configuration.claimMappings.uid;
  if (claim !== "") return stringClaim(claims, claim, `oidc: parse uid claim ${JSON.stringify(claim)}`);
  return uid === undefined ? "" : textOf(uid, value, "uid");
}

function extraOf({ extra }: CompiledIssuer, claims: Claims, value: CelValue): Record<string, readonly string[]> {
  const { jti } = claims;
  const known: [string, readonly string[]][] =
    typeof jti === "string" && jti !== "" ? [["authentication.kubernetes.io/credential-id", [`JTI=${jti}`]]] : [];
  for (const { key, value: expression } of extra) {
    const texts = evaluatedTexts(expression, value, `oidc: error evaluating extra claim expression: ${expression.source}`);
    if (texts.length > 0) known.push([key, texts]);
  }
  return Object.fromEntries(known);
}

function checkRequired({ configuration }: CompiledIssuer, claims: Claims): void {
  for (const { claim = "", requiredValue = "" } of configuration.claimValidationRules ?? []) {
    if (claim === "") continue;
    if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
    const given = stringClaim(claims, claim, `oidc: parse claim ${claim}`);
    if (given !== requiredValue) {
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${given}, want = ${requiredValue}`);
    }
  }
}

function check(rules: readonly CompiledRule[], value: CelValue, what: string): void {
  for (const { expression, message } of rules) {
    const holds = evaluated(expression, value, `oidc: error evaluating ${what}`);
    if (holds === true) continue;
    const why =
      holds === false ? `validation expression '${expression.source}' failed: ${message}` : "validation expression must return a boolean";
    throw new Error(`oidc: error evaluating ${what}: ${why}`);
  }
}

function stringClaim(claims: Claims, claim: string, failure: string): string {
  if (!Object.hasOwn(claims, claim)) throw new Error(`${failure}: claim not present`);
  const value = claims[claim];
  if (value === null) return "";
  if (typeof value !== "string") throw new Error(`${failure}: it is not a string`);
  return value;
}

function textOf(expression: ClaimExpression, value: CelValue, what: string): string {
  const failure = `oidc: error evaluating ${what} claim expression`;
  const text = evaluated(expression, value, failure);
  if (typeof text !== "string") throw new Error(`${failure}: ${what} claim expression must return a string`);
  return text;
}

/** Empty ones do not count. */
function evaluatedTexts(expression: ClaimExpression, value: CelValue, failure: string): readonly string[] {
  const result = evaluated(expression, value, failure);
  if (result === null || result === "") return [];
  const list = typeof result === "string" ? [result] : result instanceof CelList ? [...result] : [null];
  return list
    .map((one) => {
      if (typeof one !== "string") throw new Error(`${failure}: expression must return a string or a list of strings`);
      return one;
    })
    .filter((one) => one !== "");
}

function evaluated(expression: ClaimExpression, value: CelValue, failure: string): CelValue {
  try {
    return expression.evaluate(value);
  } catch (error) {
    throw new Error(`${failure}: ${messageOf(error)}`, { cause: error });
  }
}
