/**
 * Whether a user with some rules may grant others: only what is covered, one piece at a time.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
import type { rbacV1 } from "@coxswain/api";
import { coversPath } from "../../contracts/non-resource-url.ts";

type Rule = Readonly<rbacV1.PolicyRule>;

/** The pieces of `wanted`, with one verb, one resource and one name each, that no single rule of `held` covers. */
export const missingRules = (held: readonly Rule[], wanted: readonly Rule[]): rbacV1.PolicyRule[] =>
  wanted.flatMap(piecesOf).filter((piece) => !held.some((rule) => covers(rule, piece)));

/** A rule as a list of rules that say the same with one verb, one resource or path, and at most one name each. */
export function piecesOf({ apiGroups = [], resources = [], verbs, resourceNames = [], nonResourceURLs = [] }: Rule): rbacV1.PolicyRule[] {
  const pieces: rbacV1.PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const piece = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) pieces.push(piece);
        else pieces.push(...resourceNames.map((name) => ({ ...piece, resourceNames: [name] })));
      }
    }
  }
  return [...pieces, ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })))];
}

function covers(rule: Rule, piece: Rule): boolean {
  const { apiGroups = [], resources = [], verbs, resourceNames = [], nonResourceURLs = [] } = rule;
  return (
    hasAll(verbs, piece.verbs) &&
    hasAll(apiGroups, piece.apiGroups ?? []) &&
    (piece.resources ?? []).every((resource) => coversResource(resources, resource)) &&
    coversNames(resourceNames, piece.resourceNames ?? []) &&
    (piece.nonResourceURLs ?? []).every((path) => nonResourceURLs.some((held) => coversPath(held, path)))
  );
}

const hasAll = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.includes("*") || wanted.every((one) => held.includes(one));

function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes("*") || held.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

/** A rule that names objects does not cover one for all of them. */
const coversNames = (held: readonly string[], wanted: readonly string[]): boolean =>
  held.length === 0 || (wanted.length > 0 && wanted.every((name) => held.includes(name)));

/** Pieces of one resource and the same name become one rule with all their verbs, after what cannot be joined. */
export function joinVerbs(pieces: readonly Rule[]): rbacV1.PolicyRule[] {
  const joined = new Map<string, rbacV1.PolicyRule>();
  const others: rbacV1.PolicyRule[] = [];
  for (const piece of pieces) {
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = piece;
    if (nonResourceURLs.length > 0 || apiGroups.length !== 1 || resources.length !== 1 || resourceNames.length > 1) {
      others.push(piece);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const same = joined.get(key);
    joined.set(
      key,
      same === undefined ? { ...piece } : { ...same, verbs: [...same.verbs, ...verbs.filter((v) => !same.verbs.includes(v))] },
    );
  }
  return [...others, ...joined.values()];
}
