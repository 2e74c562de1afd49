/** What users ask about rights and do with them in a Namespace of its own, by every option of kubectl. */
import type { Step } from "./steps.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";
const list = (...items: readonly object[]): string => JSON.stringify({ apiVersion: "v1", kind: "List", items });
const role = (...verbs: readonly string[]) => ({
  apiVersion: rbac,
  kind: "Role",
  metadata: { name: "scaler", namespace: "rights" },
  rules: [{ apiGroups: ["apps"], resources: ["deployments/scale"], verbs }],
});
const binding = (...names: readonly string[]) => ({
  apiVersion: rbac,
  kind: "RoleBinding",
  metadata: { name: "scaler", namespace: "rights" },
  roleRef: { apiGroup, kind: "Role", name: "scaler" },
  subjects: names.map((name) => ({ apiGroup, kind: "User", name })),
});
const inRights = "-n rights";
const scale = "deployments --subresource=scale";

export const accessSteps: readonly Step[] = [
  { run: "create namespace rights", prints: "namespace/rights created" },
  { run: "auth reconcile -f -", stdin: list(role("get", "update"), binding("sue", "tom")), prints: /scaler reconciled/ },
  { run: `auth can-i update ${scale} ${inRights} --as sue`, prints: "yes" },
  { run: `auth can-i update deployments ${inRights} --as sue`, prints: /^no/, code: 1 },
  { run: `auth can-i patch ${scale} ${inRights} --as sue`, prints: /^no/, code: 1 },
  // What is there beyond the file stays, unless it is to go.
  { run: "auth reconcile -f -", stdin: list(role("get"), binding("sue")), prints: /scaler reconciled/ },
  { run: `auth can-i update ${scale} ${inRights} --as tom`, prints: "yes" },
  { run: "auth reconcile --remove-extra-permissions -f -", stdin: list(role("get"), binding("sue")), prints: /scaler reconciled/ },
  { run: `auth can-i update ${scale} ${inRights} --as tom`, prints: /^no/, code: 1 },
  { run: `auth can-i get ${scale} ${inRights} --as tom`, prints: "yes" },
  { run: "auth reconcile --remove-extra-subjects -f -", stdin: list(role("get"), binding("sue")), prints: /scaler reconciled/ },
  { run: `auth can-i get ${scale} ${inRights} --as tom`, prints: /^no/, code: 1 },
  { run: "auth can-i get /logs/x --as sue", prints: /^no/, code: 1 },
  { run: "auth can-i get /apis/apps --as sue", prints: "yes" },
  { run: `auth can-i --list ${inRights} --as sue`, prints: /^deployments\.apps\/scale +\[\] +\[\] +\[get\]$/m },
  {
    run: `get deployments ${inRights} --as sue --as-uid 7 --as-group testers`,
    code: 1,
    complains:
      /^Error from server \(Forbidden\): deployments\.apps is forbidden: User "sue" cannot list resource "deployments" in API group "apps" in the namespace "rights"$/m,
  },
  {
    run: `get pods web ${inRights} --as sue`,
    code: 1,
    complains:
      /^Error from server \(Forbidden\): pods "web" is forbidden: User "sue" cannot get resource "pods" in API group "" in the namespace "rights"$/m,
  },
  { run: "get nodes --as sue", code: 1, complains: /User "sue" cannot list resource "nodes" in API group "" at the cluster scope$/m },
  {
    run: `create role r --verb=get,list --resource=pods,deployments.apps/scale --resource-name=a ${inRights} --dry-run=server -o jsonpath={.rules}`,
    prints:
      /^\[\{"apiGroups":\[""\],"resourceNames":\["a"\],"resources":\["pods"\],"verbs":\["get","list"\]\},\{"apiGroups":\["apps"\],"resourceNames":\["a"\],"resources":\["deployments\/scale"\],"verbs":\["get","list"\]\}\]$/,
  },
  {
    run: "create clusterrole c --verb=get --non-resource-url=/logs/* --dry-run=server",
    prints: `clusterrole.${apiGroup}/c created (server dry run)`,
  },
  {
    run: ["create", "clusterrole", "sum", "--aggregation-rule=a=b", "--dry-run=server", "-o", "jsonpath={.aggregationRule}"],
    prints: '{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}',
  },
  {
    run: `create rolebinding b --role=scaler --user=tom --group=ops ${inRights} --dry-run=server`,
    prints: `rolebinding.${apiGroup}/b created (server dry run)`,
  },
  {
    run: "create clusterrolebinding b --clusterrole=view --serviceaccount=rights:bot --dry-run=server",
    prints: `clusterrolebinding.${apiGroup}/b created (server dry run)`,
  },
  { run: `get rolebinding b ${inRights}`, code: 1, complains: /rolebindings\.rbac\.authorization\.k8s\.io "b" not found/ },
  {
    run: `create role r --verb=get --resource=pods ${inRights} --dry-run=server --as sue`,
    code: 1,
    complains: /User "sue" cannot create resource "roles"/,
  },
  { run: `create serviceaccount bot ${inRights}`, prints: "serviceaccount/bot created" },
  { run: `create secret generic bound ${inRights}`, prints: "secret/bound created" },
  { run: `create token bot ${inRights} --audience=vault --duration=20m`, prints: /^[\w-]+\.[\w-]+\.[\w-]+$/ },
  { run: `create token bot ${inRights} --bound-object-kind=Secret --bound-object-name=bound`, prints: /^[\w-]+\.[\w-]+\.[\w-]+$/ },
  {
    run: `create token bot ${inRights} --bound-object-kind=Secret --bound-object-name=gone`,
    code: 1,
    complains: /secrets "gone" not found/,
  },
  {
    run: `create token bot ${inRights} --duration=5m`,
    code: 1,
    complains: /spec\.expirationSeconds: Invalid value: 300: may not specify a duration less than 10 minutes/,
  },
  { run: `create token gone ${inRights}`, code: 1, complains: /serviceaccounts "gone" not found/ },
  {
    run: `create token bot ${inRights} --as sue`,
    code: 1,
    complains: /User "sue" cannot create resource "serviceaccounts\/token" in API group "" in the namespace "rights"/,
  },
  { run: "certificate approve gone", code: 1, complains: /certificatesigningrequests\.certificates\.k8s\.io "gone" not found/ },
];
