/**
 * Which form an answer takes. Clauses are tried by q, then in the order given; the first that can be served wins, and
 * what the server does not know in a clause is ignored, except the parameters that ask for another shape.
 */
import { failure } from "@coxswain/machinery";
import type { MetaVersion } from "./table/metadata.ts";

export type Encoding = "json" | "yaml" | "protobuf";

export type Shape = { readonly as: "object" } | { readonly as: "table" | "metadata"; readonly version: MetaVersion };

export interface Representation {
  readonly encoding: Encoding;
  readonly shape: Shape;
  readonly indent: boolean;
}

export const plainJson: Representation = { encoding: "json", shape: { as: "object" }, indent: false };

export const contentTypes: Readonly<Record<Encoding, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
};

export interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A Map, because clients may ask for a type named `constructor`. */
const byMediaType: ReadonlyMap<string, Encoding> = new Map([
  ["application/json", "json"],
  ["application/yaml", "yaml"],
  ["application/vnd.kubernetes.protobuf", "protobuf"],
  ["application/*", "json"],
  ["*/*", "json"],
]);

const metaGroup = "meta.k8s.io";

/** @throws 406 when no clause can be served. `watch` answers are never YAML. */
export function negotiate(accept: string | undefined, protobuf: boolean): Representation {
  if (accept === undefined || accept === "" || accept === "application/json" || accept === "*/*") return plainJson;
  for (const clause of parseAccept(accept)) {
    const encoding = byMediaType.get(clause.type);
    if (encoding === undefined || (encoding === "protobuf" && !protobuf)) continue;
    const shape = shapeOf(clause.parameters);
    if (shape === undefined || (shape.as === "table" && encoding === "protobuf")) continue;
    return { encoding, shape, indent: false };
  }
  throw notAcceptable();
}

/** Sorted by q, highest first; equal ones keep their order. */
export function parseAccept(accept: string): readonly Clause[] {
  const clauses: { q: number; clause: Clause }[] = [];
  for (const text of accept.split(",")) {
    const parts = text.split(";");
    const parameters = new Map<string, string>();
    for (const part of parts.slice(1)) {
      const equals = part.indexOf("=");
      if (equals > 0) parameters.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim());
    }
    const q = Number(parameters.get("q") || 1);
    if (q === 0) continue;
    clauses.push({ q: Number.isFinite(q) ? q : 1, clause: { type: (parts[0] ?? "").trim().toLowerCase(), parameters } });
  }
  return clauses.sort((a, b) => b.q - a.q).map(({ clause }) => clause);
}

function shapeOf(parameters: ReadonlyMap<string, string>): Shape | undefined {
  const as = parameters.get("as");
  if (as === undefined) return { as: "object" };
  if (parameters.get("g") !== metaGroup) return undefined;
  const version = parameters.get("v");
  if (version !== "v1" && version !== "v1beta1") return undefined;
  if (as === "Table") return { as: "table", version };
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList" ? { as: "metadata", version } : undefined;
}

/** The one 406 that Kubernetes' router answers, with its text. */
export const notAcceptable = () =>
  failure(
    406,
    "NotAcceptable",
    "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    {},
  );
