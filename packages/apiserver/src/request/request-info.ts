/** What a request is about, read off its method and path alone. */
import { badRequest } from "@coxswain/machinery";
import type { RequestInfo, ResourceRequest, Verb } from "../contracts/request-info.ts";

/** Subresources of namespaces that share the path of namespaced resources. */
const namespaceSubresources = new Set(["status", "finalize"]);

const proxiedResources = new Set(["pods", "services", "nodes"]);
const proxiedPrefix = /^\/api\/[^/]+\/(?:namespaces\/[^/]+\/(?:pods|services)|nodes)\/[^/]+\/proxy(?=\/)/;
/** Only proxies pass these on. */
const proxyVerbs: ReadonlyMap<string, Verb> = new Map([
  ["HEAD", "get"],
  ["OPTIONS", ""],
]);

/**
 * Reads off a method and a path what a request is about.
 * @param watchParameter whether the query asks for a watch
 * @throws badRequest() when a segment is not valid percent-encoding
 */
export function parseRequest(method: string, path: string, watchParameter: boolean): RequestInfo {
  const segments = splitPath(path);
  const start = segments[0] === "api" ? 2 : segments[0] === "apis" ? 3 : -1;
  if (start < 0 || segments.length <= start) return { kind: "path", verb: method.toLowerCase(), path, segments };
  const group = start === 2 ? "" : (segments[1] ?? "");
  const version = segments[start - 1] ?? "";
  let at = start;
  const legacyWatch = segments[at] === "watch" && segments.length > at + 1;
  if (legacyWatch) at++;
  let namespace = "";
  if (segments[at] === "namespaces" && segments.length > at + 2 && !isNamespaceSubresource(segments, at)) {
    namespace = segments[at + 1] ?? "";
    at += 2;
  } else if (segments[at] === "namespaces" && segments.length > at + 1) {
    namespace = segments[at + 1] ?? "";
  }
  const resource = segments[at] ?? "";
  const name = segments[at + 1] ?? "";
  const proxied = start === 2 && segments[at + 2] === "proxy" && proxiedResources.has(resource);
  const known = verbOf(method, name !== "", watchParameter || legacyWatch) ?? (proxied ? proxyVerbs.get(method) : undefined);
  const verb = legacyWatch && method !== "GET" ? undefined : known;
  const asked = (as: Verb): ResourceRequest => ({
    kind: "resource",
    verb: as,
    group,
    version,
    namespace,
    resource,
    name,
    subresource: segments[at + 2] ?? "",
    rest: segments.slice(at + 3).join("/"),
  });
  if (verb !== undefined) return asked(legacyWatch && verb === "get" ? "watch" : verb);
  const same = method === "HEAD" ? verbOf("GET", name !== "", watchParameter) : undefined;
  return { kind: "path", verb: method.toLowerCase(), path, segments, resource: asked(legacyWatch ? "watch" : (same ?? "")) };
}

/**
 * The path is decoded first, so an encoded slash separates like any other, and no name ever holds one. A path with an empty
 * segment belongs to no resource: leaving the segment out would make it another one's. Behind `/proxy` it is left out: what is
 * asked for there is not decided by it.
 */
function splitPath(path: string): string[] {
  const decoded = path.includes("%") ? decodePath(path) : path;
  const parts = decoded.split("/");
  if (parts[0] === "") parts.shift();
  if (parts.at(-1) === "") parts.pop();
  if (!parts.includes("")) return parts;
  const [own] = proxiedPrefix.exec(decoded) ?? [];
  if (own === undefined) return [path];
  return [...own.split("/").slice(1), ...decoded.slice(own.length).split("/")].filter((part) => part !== "");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest(`invalid URL escape in path ${JSON.stringify(path)}`);
  }
}

function isNamespaceSubresource(segments: readonly string[], at: number): boolean {
  return segments.length === at + 3 && namespaceSubresources.has(segments[at + 2] ?? "");
}

/** Undefined for methods that no resource has. A named GET stays a get even with `watch=true`. */
function verbOf(method: string, named: boolean, watch: boolean): Verb | undefined {
  switch (method) {
    case "GET":
      return named ? "get" : watch ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      return undefined;
  }
}
