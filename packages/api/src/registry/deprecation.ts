/**
 * Which served versions are deprecated, and the Warning that every request to one gets.
 * @see https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
import { apiVersionOf } from "@coxswain/machinery";
import type { ResourceDefinition } from "./resource-definition.ts";

interface Deprecation {
  /** The first release that warns, without the leading v. */
  readonly since: string;
  readonly removedIn?: string;
  /** apiVersion and kind. */
  readonly use?: string;
}

const deprecations: Readonly<Record<string, Deprecation>> = {
  __proto__: null as never,
  "v1 ComponentStatus": { since: "1.19" },
  "v1 Endpoints": { since: "1.33", use: "discovery.k8s.io/v1 EndpointSlice" },
};

/** The text for the Warning header; undefined for what is not deprecated. */
export function deprecationWarning(definition: Pick<ResourceDefinition, "group" | "version" | "kind" | "custom">): string | undefined {
  if (definition.custom !== undefined) return definition.custom.deprecation;
  const name = `${apiVersionOf(definition)} ${definition.kind}`;
  const deprecation = deprecations[name];
  if (deprecation === undefined) return undefined;
  const { since, removedIn, use } = deprecation;
  const removal = removedIn === undefined ? "" : `, unavailable in v${removedIn}+`;
  return `${name} is deprecated in v${since}+${removal}${use === undefined ? "" : `; use ${use}`}`;
}
