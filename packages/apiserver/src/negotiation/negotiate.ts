/**
 * Which form an answer takes. Clauses are tried by q, then by how much they say, then in the order given; the first that can be
 * served wins, even with a q of 0, and what the server does not know in a clause is ignored, except the parameters that ask for
 * another shape. Built-in resources have a router in front of them, which knows no ranges but that of everything.
 */
import type { ResourceDefinition } from "@coxswain/api";
import { failure, notAcceptable } from "@coxswain/machinery";
import type { HttpRequest } from "../contracts/http.ts";
import type { Encoding, Representation, Shape } from "../contracts/representation.ts";
import { headerOf } from "../http/exchange.ts";
import { packageOf } from "./go-package.ts";

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
  ["*", "json"],
]);

/** In what a media range is served. */
export const encodingOf = (range: string): Encoding | undefined => byMediaType.get(range);

const metaGroup = "meta.k8s.io";
const mediaTypes = Object.values(contentTypes);
const streamTypes = [contentTypes.json, contentTypes.protobuf].map((type) => `${type};stream=watch`);

/** What a path can answer with. */
export interface Offer {
  /** Also a watch. */
  readonly streams: boolean;
  /** Custom resources: they have no protobuf, but what is made of them, such as their metadata alone, has. */
  readonly custom: boolean;
  /** Reviews, tokens and what else is only ever created have none. */
  readonly tables: boolean;
}

/** @throws 406 when no clause can be served. */
export function negotiate(accept: string | undefined, { streams, custom, tables }: Offer): Representation {
  if (accept === undefined || accept === "" || accept === "application/json" || accept === "*/*") return plainJson;
  // Custom resources have no router in front of them.
  if (!custom) checkRoutable(accept, streams ? [...mediaTypes, ...streamTypes] : mediaTypes);
  for (const { type, parameters } of parseAccept(accept)) {
    const encoding = byMediaType.get(type);
    if (encoding === undefined) continue;
    const shape = shapeOf(parameters);
    if (shape === undefined || (shape.as === "table" && !tables)) continue;
    if (encoding === "protobuf" && (shape.as === "table" || (shape.as === "object" && custom))) continue;
    return { encoding, shape, indent: parameters.get("pretty") === "1" };
  }
  throw notAcceptable(mediaTypes);
}

/** @throws 406 when an object was asked for as the metadata of a list, or a list as that of an object */
export function checkMetadataShape({ list }: { readonly list: boolean }, definition: ResourceDefinition, isList: boolean): void {
  if (list === isList) return;
  const kind = goTypeOf(definition, isList);
  const asked = list ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  throw failure(406, "NotAcceptable", `you requested ${asked}, but the requested object is ${isList ? "a" : "not a"} list (${kind})`);
}

/** Kubernetes names the type in which its own code has the answer. */
function goTypeOf({ group, kind, listKind, custom }: ResourceDefinition, isList: boolean): string {
  if (custom !== undefined) return isList ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  return `*${packageOf(group)}.${isList ? listKind : kind}`;
}

/** Watches are not YAML. */
export const notStreamable = () => notAcceptable(streamTypes);

/** The form of an error: the one that the client accepts, but never as a Table, and as indented JSON where nothing fits. */
export function negotiateError(request: Pick<HttpRequest, "headers">, query: URLSearchParams): Representation {
  const accept = headerOf(request, "accept");
  const indent = isPretty(request, query);
  const plain: Representation = indent ? { ...plainJson, indent } : plainJson;
  if (accept === undefined || accept === "application/json" || accept === "*/*") return plain;
  for (const { type, parameters } of parseAccept(accept)) {
    const encoding = byMediaType.get(type);
    if (encoding === undefined || shapeOf(parameters)?.as !== "object") continue;
    return { encoding, shape: { as: "object" }, indent: indent || parameters.get("pretty") === "1" };
  }
  return { ...plainJson, indent: true };
}

const truths = new Set(["1", "t", "T", "TRUE", "true", "True"]);

/** `?pretty=true` and tools that people read from get indented JSON. */
export function isPretty(request: Pick<HttpRequest, "headers">, query: URLSearchParams): boolean {
  const asked = query.size === 0 ? null : query.get("pretty");
  if (asked !== null && asked !== "") return truths.has(asked);
  const agent = request.headers["user-agent"];
  return typeof agent === "string" && (agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0"));
}

/** Sorted by q, highest first, then ranges after types; equal ones keep their order. */
export function parseAccept(accept: string): readonly Clause[] {
  const clauses: { q: number; clause: Clause }[] = [];
  for (const text of accept.split(",")) {
    const parts = text.split(";");
    const parameters = new Map<string, string>();
    for (const part of parts.slice(1)) {
      const equals = part.indexOf("=");
      if (equals > 0) parameters.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
    }
    const q = Number(parameters.get("q") || 1);
    clauses.push({ q: Number.isFinite(q) ? q : 1, clause: { type: (parts[0] ?? "").trim(), parameters } });
  }
  return clauses.sort((a, b) => b.q - a.q || rangeOf(a.clause) - rangeOf(b.clause)).map(({ clause }) => clause);
}

const rangeOf = ({ type }: Clause): number => (type.startsWith("*") ? 2 : type.endsWith("/*") ? 1 : 0);

function shapeOf(parameters: ReadonlyMap<string, string>): Shape | undefined {
  const as = parameters.get("as");
  if (as === undefined) return parameters.has("g") || parameters.has("v") ? undefined : { as: "object" };
  if (parameters.get("g") !== metaGroup) return undefined;
  const version = parameters.get("v");
  if (version !== "v1" && version !== "v1beta1") return undefined;
  if (as === "Table") return { as: "table", version };
  if (as !== "PartialObjectMetadata" && as !== "PartialObjectMetadataList") return undefined;
  return { as: "metadata", version, list: as === "PartialObjectMetadataList" };
}

/** Whether the client wants an answer in its plain form, and no other shape of it. */
export const isPlain = (parameters: ReadonlyMap<string, string>): boolean => shapeOf(parameters)?.as === "object";

/** What Kubernetes' router does, which only looks at media types, as they are written. @throws 406 */
export function checkRoutable(accept: string | undefined, produced: readonly string[]): void {
  if (accept === undefined || accept === "" || accept === "*/*" || accept === produced[0]) return;
  for (const part of accept.split(",")) {
    const type = (part.split(";", 1)[0] ?? "").trim();
    if (type === "*/*" || produced.includes(type)) return;
  }
  throw failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${produced.join(", ")}`, {});
}
