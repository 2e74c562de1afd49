/**
 * Subject, verb, resource and scope: what is allowed by the rules of RBAC, and the sentence of a refusal.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
import type { BoundRules, Rule } from "./world.ts";

export interface Case {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly verb: string;
  /** Undefined for a path that is no resource. */
  readonly of?: Asked;
  /** Kubernetes' recorded answer alone says what is expected. */
  readonly isRecorded?: true;
}

interface Asked {
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

interface Kind {
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

const everyVerb = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const kinds: readonly Kind[] = [
  { group: "", resource: "pods", namespaced: true, verbs: everyVerb },
  { group: "", resource: "pods/log", namespaced: true, verbs: ["get"] },
  { group: "", resource: "pods/status", namespaced: true, verbs: ["get", "update", "patch"] },
  { group: "", resource: "configmaps", namespaced: true, verbs: everyVerb },
  { group: "", resource: "secrets", namespaced: true, verbs: everyVerb },
  { group: "apps", resource: "deployments", namespaced: true, verbs: everyVerb },
  { group: "apps", resource: "deployments/scale", namespaced: true, verbs: ["get", "update", "patch"] },
  { group: "rbac.authorization.k8s.io", resource: "roles", namespaced: true, verbs: ["get", "list", "create"] },
  { group: "", resource: "nodes", namespaced: false, verbs: everyVerb },
  { group: "", resource: "namespaces", namespaced: false, verbs: ["get", "list", "watch", "create", "update", "patch", "delete"] },
];
const paths = ["/metrics", "/logs/x", "/version", "/healthz", "/apis", "/debug/x"];

const methods: Readonly<Record<string, string>> = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};
const ofMany = new Set(["list", "watch", "create", "deletecollection"]);

/** For one subject. */
export function* cases(): Iterable<Case> {
  for (const kind of kinds) {
    for (const verb of kind.verbs) {
      const names = ofMany.has(verb) ? [""] : ["x", "y"];
      const everywhere = kind.namespaced && (verb === "list" || verb === "watch") ? [""] : [];
      const namespaces = kind.namespaced ? ["a", "b", ...everywhere] : [""];
      for (const namespace of namespaces) for (const name of names) yield caseOf(kind, verb, { namespace, name });
    }
  }
  for (const path of paths) yield { method: "GET", verb: "get", path };
  for (const [method, path, body] of unusual) yield { method, path, verb: "", isRecorded: true, ...(body === undefined ? {} : { body }) };
}

const api = "/apis/rbac.authorization.k8s.io/v1";
const configMaps = "/api/v1/namespaces/a/configmaps";
/** What names its objects otherwise, is no kind that there is, or has a verb of its own. */
const unusual: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["GET", "/api/v1/nodes/x/proxy/metrics"],
  ["PUT", "/api/v1/namespaces/x/finalize", {}],
  ["GET", `${api}/clusterroles/x`],
  ["POST", `${api}/clusterrolebindings?dryRun=All`, {}],
  ["POST", "/api/v1/namespaces/a/serviceaccounts/x/token?dryRun=All", {}],
  ["POST", "/api/v1/namespaces/a/pods/x/eviction?dryRun=All", {}],
  ["POST", "/api/v1/namespaces/a/pods/x/binding?dryRun=All", {}],
  ["POST", "/api/v1/namespaces/a/pods/x/exec"],
  ["GET", "/api/v1/namespaces/a/pods/x/attach"],
  ["PATCH", "/api/v1/namespaces/a/pods/x/ephemeralcontainers?dryRun=All", {}],
  ["GET", "/api/v1/namespaces/a/services/x/proxy/"],
  ["GET", "/apis/example.com/v1/namespaces/a/things"],
  ["GET", "/apis/example.com/v1/things/x/status"],
  ["PUT", "/apis/certificates.k8s.io/v1/certificatesigningrequests/x/approval?dryRun=All", {}],
  ["GET", `${configMaps}?fieldSelector=metadata.name%3Dx`],
  ["GET", `${configMaps}?fieldSelector=metadata.name%3Dy`],
  ["GET", `${configMaps}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dx`],
  ["DELETE", `${configMaps}?fieldSelector=metadata.name%3Dx&dryRun=All`],
  ["GET", "/livez/ping"],
  ["GET", "/openapi/v3"],
  ["GET", "/no/such/path"],
  ["POST", "/healthz"],
  ["HEAD", configMaps],
  ["OPTIONS", configMaps],
];

function caseOf({ group, resource }: Kind, verb: string, { namespace, name }: Pick<Asked, "namespace" | "name">): Case {
  const [plural = "", subresource] = resource.split("/");
  const root = group === "" ? "/api/v1" : `/apis/${group}/v1`;
  const segments = [
    namespace === "" ? "" : `/namespaces/${namespace}`,
    `/${plural}`,
    name && `/${name}`,
    subresource ? `/${subresource}` : "",
  ];
  const query = verb === "watch" ? "?watch=true&timeoutSeconds=1" : verb === "get" || verb === "list" ? "" : "?dryRun=All";
  const body = ["create", "update", "patch"].includes(verb) ? { body: {} } : {};
  // A request about one Namespace is in it.
  const of = { group, resource, name, namespace: plural === "namespaces" ? name : namespace };
  return { method: methods[verb] ?? "GET", path: root + segments.join("") + query, verb, of, ...body };
}

/** Undefined where it is allowed; else the message of the 403. */
export function refusalOf(user: string, bound: readonly BoundRules[], one: Case): string | undefined {
  const { verb, of, path } = one;
  if (bound.some((rules) => isAllowed(rules, one))) return undefined;
  if (of === undefined) return `forbidden: User "${user}" cannot ${verb} path "${path}"`;
  const { group, resource, namespace, name } = of;
  const [plural = ""] = resource.split("/");
  const what = `${plural}${group === "" ? "" : `.${group}`}${name === "" ? "" : ` "${name}"`}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return `${what} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
}

type Question = Pick<Case, "verb" | "of" | "path">;

const isAllowed = ({ rules, namespace }: BoundRules, asked: Question): boolean =>
  (namespace === undefined || asked.of?.namespace === namespace) && rules.some((rule) => covers(rule, asked));

function covers(
  { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: Rule,
  { verb, of, path }: Question,
): boolean {
  if (!verbs.includes("*") && !verbs.includes(verb)) return false;
  if (of === undefined) return nonResourceURLs.some((url) => url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))));
  const [, subresource] = of.resource.split("/");
  return (
    (apiGroups.includes("*") || apiGroups.includes(of.group)) &&
    resources.some((one) => one === "*" || one === of.resource || (subresource !== undefined && one === `*/${subresource}`)) &&
    (resourceNames.length === 0 || (of.name !== "" && resourceNames.includes(of.name)))
  );
}
