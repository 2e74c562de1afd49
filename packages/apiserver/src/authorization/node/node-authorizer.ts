/**
 * What kubelets may do: read what has to do with their own node, and write what the admission plugin NodeRestriction restricts
 * further.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
import type { rbacV1 } from "@coxswain/api";
import type { AuthorizationAttributes, Authorizer, Decision } from "../../contracts/authorizer.ts";
import { combinedResource } from "../rbac/rbac-authorizer.ts";
import { RuleTable } from "../rbac/rule-table.ts";
import type { NamedResource, NodeGraph, PlacedResource } from "./node-graph.ts";
import { nodeOf } from "./node-identity.ts";

type Asked = AuthorizationAttributes & { readonly kind: "resource" };
/** Undefined allows; a text is why there is no opinion. */
type Answer = string | undefined;
type Rule = (node: string, asked: Asked, graph: NodeGraph) => Answer;

const allow: Decision = { kind: "allow", reason: "" };
const noOpinion: Decision = { kind: "noOpinion", reason: "" };
const allowed = undefined;

/** @param rules of the ClusterRole `system:node`: what all nodes may do alike */
export function nodeAuthorizer(graph: NodeGraph, rules: readonly Readonly<rbacV1.PolicyRule>[]): Authorizer {
  const table = new RuleTable();
  for (const rule of rules) table.add(rule, "system:node");
  return (attributes) => {
    const node = nodeOf(attributes.user);
    if (node === undefined) return noOpinion;
    if (node === "") return { kind: "noOpinion", reason: `unknown node for user "${attributes.user.name}"` };
    const rule = attributes.kind === "resource" ? ruleFor(attributes) : undefined;
    if (rule === undefined || attributes.kind !== "resource")
      return table.find(attributes, combinedResource(attributes)) === undefined ? noOpinion : allow;
    const reason = rule(node, attributes, graph);
    return reason === allowed ? allow : { kind: "noOpinion", reason };
  };
}

const related = (node: string, isRelated: boolean, { name }: Asked): Answer =>
  name === "" ? "No Object name found" : isRelated ? allowed : `no relationship found between node '${node}' and this object`;

/** Each of several requirements has to hold, so one is enough. */
const selectsNode = ({ fieldSelector = [] }: Asked, node: string): boolean =>
  fieldSelector.some(({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value === node);

const isRead = (verb: string): boolean => verb === "get" || verb === "list" || verb === "watch";

const readNamed =
  (resource: NamedResource): Rule =>
  (node, asked, graph) => {
    if (!isRead(asked.verb)) return "can only read resources of this type";
    if (asked.subresource !== "") return "cannot read subresource";
    if (asked.namespace === "") return "can only read namespaced object of this type";
    return related(node, graph.isNamed(node, resource, asked), asked);
  };

const onlyGet =
  (isRelated: (node: string, asked: Asked, graph: NodeGraph) => boolean): Rule =>
  (node, asked, graph) => {
    if (asked.verb !== "get") return "can only get individual resources of this type";
    if (asked.subresource !== "") return "cannot get subresource";
    return related(node, isRelated(node, asked, graph), asked);
  };

const getNamed = (resource: NamedResource): Rule => onlyGet((node, asked, graph) => graph.isNamed(node, resource, asked));
const getPlaced = (resource: PlacedResource): Rule => onlyGet((node, asked, graph) => graph.isPlaced(node, resource, asked));

const claims: Rule = (node, asked, graph) => {
  if (asked.subresource !== "status") return getNamed("persistentvolumeclaims")(node, asked, graph);
  if (asked.verb !== "update" && asked.verb !== "patch") return "can only get/update/patch this type";
  return related(node, graph.isNamed(node, "persistentvolumeclaims", asked), asked);
};

const serviceAccounts: Rule = (node, asked, graph) => {
  if (asked.verb === "get" && asked.subresource === "") return readNamed("serviceaccounts")(node, asked, graph);
  if (asked.verb !== "create" || asked.name === "") return "can only create tokens for individual service accounts";
  if (asked.subresource !== "token") return "can only create token subresource of serviceaccount";
  return related(node, graph.isNamed(node, "serviceaccounts", asked), asked);
};

const ownVerbs = ["get", "create", "update", "patch", "delete"];
const leaseNamespace = "kube-node-lease";

const leases: Rule = (node, { verb, namespace, name }) => {
  if (!ownVerbs.includes(verb)) return "can only get, create, update, patch, or delete a node lease";
  if (namespace !== leaseNamespace) return `can only access leases in the "${leaseNamespace}" system namespace`;
  // The name of what is created is for NodeRestriction to look at.
  return verb === "create" || name === node ? allowed : "can only access node lease with the same name as the requesting node";
};

const csiNodes: Rule = (node, { verb, subresource, name }) => {
  if (!ownVerbs.includes(verb)) return "can only get, create, update, patch, or delete a CSINode";
  if (subresource !== "") return "cannot authorize CSINode subresources";
  return verb === "create" || name === node ? allowed : "can only access CSINode with the same name as the requesting node";
};

const slices: Rule = (node, asked, graph) => {
  if (asked.subresource !== "") return "cannot authorize ResourceSlice subresources";
  switch (asked.verb) {
    case "create":
      return allowed;
    case "get":
    case "update":
    case "patch":
    case "delete":
      return related(node, graph.isPlaced(node, "resourceslices", asked), asked);
    case "watch":
    case "list":
    case "deletecollection":
      return selectsNode(asked, node) ? allowed : "can only list/watch/deletecollection resourceslices with nodeName field selector";
    default:
      return "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection";
  }
};

const certificateRequests: Rule = (node, asked, graph) => {
  if (asked.subresource !== "") return "nodes may not access the status subresource of PodCertificateRequests";
  switch (asked.verb) {
    case "create":
      return allowed;
    case "get":
      return related(node, graph.isPlaced(node, "podcertificaterequests", asked), asked);
    case "list":
    case "watch":
      return selectsNode(asked, node) ? allowed : "can only list/watch podcertificaterequests with nodeName field selector";
    default:
      return `nodes may not ${asked.verb} podcertificaterequests`;
  }
};

const nodes: Rule = (node, { verb, subresource, name }) => {
  if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : "";
  if (subresource !== "") return "";
  if (verb === "create" || verb === "update" || verb === "patch") return allowed;
  if (!isRead(verb)) return "";
  if (name === node) return allowed;
  return name === ""
    ? `node '${node}' cannot read all nodes, only its own Node object`
    : `node '${node}' cannot read '${name}', only its own Node object`;
};

const pods: Rule = (node, asked, graph) => {
  const { verb, subresource, name } = asked;
  if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : "";
  if (subresource === "eviction") return verb === "create" ? allowed : "";
  if (subresource !== "") return "";
  if (verb === "create" || verb === "delete") return allowed;
  if (verb === "get") return getPlaced("pods")(node, asked, graph);
  if (verb !== "list" && verb !== "watch") return "";
  if (selectsNode(asked, node)) return allowed;
  if (name !== "") return related(node, graph.isPlaced(node, "pods", asked), asked);
  return "can only list/watch pods with spec.nodeName field selector";
};

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["secrets.", readNamed("secrets")],
  ["configmaps.", readNamed("configmaps")],
  ["persistentvolumeclaims.", claims],
  ["persistentvolumes.", onlyGet((node, { name }, graph) => graph.isVolume(node, name))],
  ["resourceclaims.resource.k8s.io", getNamed("resourceclaims")],
  ["volumeattachments.storage.k8s.io", getPlaced("volumeattachments")],
  ["serviceaccounts.", serviceAccounts],
  ["leases.coordination.k8s.io", leases],
  ["csinodes.storage.k8s.io", csiNodes],
  ["resourceslices.resource.k8s.io", slices],
  ["nodes.", nodes],
  ["pods.", pods],
  ["podcertificaterequests.certificates.k8s.io", certificateRequests],
]);

const ruleFor = ({ resource, group }: Asked): Rule | undefined => rules.get(`${resource}.${group}`);
