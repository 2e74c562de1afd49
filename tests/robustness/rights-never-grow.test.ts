/**
 * No sequence of requests that a user may make lets the user do more than before, but where `bind`, `escalate` or `impersonate` say so.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Authenticator } from "@coxswain/apiserver";
import fc from "fast-check";
import { type Api, startApi } from "../integration/api.ts";

/** `Bearer root` is of system:masters; `eve` is of the group devs, and may make tokens that are hers. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  if (name !== "root" && name !== "eve") return { kind: "rejected", reason: "" };
  const groups = [name === "root" ? "system:masters" : "devs", "system:authenticated"];
  return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};
const as = (name: string) => ({ authorization: `Bearer ${name}` });

const group = "rbac.authorization.k8s.io";
const rbac = `/apis/${group}/v1`;
const kinds = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"] as const;
type Kind = (typeof kinds)[number];
const kindOf = { roles: "Role", rolebindings: "RoleBinding", clusterroles: "ClusterRole", clusterrolebindings: "ClusterRoleBinding" };

const some = <T>(...from: readonly T[]) => fc.subarray([...from], { minLength: 1, maxLength: 2 });
const harmless = ["get", "list", "create", "update", "patch", "delete"];
/** What eve has to begin with: nothing that lets rights grow. */
const ownRule = fc.oneof(
  fc.record({ apiGroups: fc.constant([""]), resources: some("pods", "configmaps", "secrets", "pods/exec"), verbs: some(...harmless, "*") }),
  fc.record({ apiGroups: fc.constant([group]), resources: some(...kinds), verbs: fc.constant(harmless) }),
  fc.record({
    apiGroups: fc.constant([""]),
    resources: fc.constant(["configmaps"]),
    resourceNames: some("x", "y"),
    verbs: some("get", "*"),
  }),
  fc.record({
    apiGroups: fc.constant(["certificates.k8s.io"]),
    resources: fc.constant(["certificatesigningrequests"]),
    verbs: fc.constant(["create", "get"]),
  }),
);
/** She always has these, so that writes succeed that stay within them. */
const writesRules = [
  { apiGroups: [group], resources: kinds, verbs: harmless },
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
];
/** What she writes into roles. */
const wantedRule = fc.oneof(
  { arbitrary: fc.constant({ apiGroups: [""], resources: ["pods"], verbs: ["get"] }), weight: 6 },
  ownRule,
  fc.record({
    apiGroups: some("", "*", group, "apps"),
    resources: some("*", "pods", "secrets", "*/exec", ...kinds),
    verbs: some("*", "get", "escalate", "bind", "impersonate"),
  }),
  fc.record({ nonResourceURLs: some("*", "/metrics", "/logs/*"), verbs: some("*", "get") }),
);
const subject = fc.constantFrom(
  { apiGroup: group, kind: "User", name: "eve" },
  { apiGroup: group, kind: "Group", name: "devs" },
  { apiGroup: group, kind: "Group", name: "system:authenticated" },
);
const names = fc.constantFrom("own", "x", "y", "view", "cluster-admin", "system:node", "admin");
const roleRef = fc.record({ apiGroup: fc.constant(group), kind: fc.constantFrom("ClusterRole", "Role"), name: names });
const labels = fc.constantFrom({}, { [`${group}/aggregate-to-view`]: "true" }, { [`${group}/aggregate-to-own`]: "true" });
const aggregationRule = fc.option(fc.constant({ clusterRoleSelectors: [{ matchLabels: {} }] }), { nil: undefined, freq: 4 });

const content = fc.record({
  rules: fc.array(wantedRule, { maxLength: 2 }),
  subjects: fc.array(subject, { maxLength: 2 }),
  roleRef,
  labels,
  aggregationRule,
});
const namespace = fc.constantFrom("a", "b");
const writing = fc.record({
  how: fc.constantFrom("create", "update", "merge", "json", "apply", "delete", "deletecollection", "impersonate", "sign"),
  kind: fc.constantFrom(...kinds),
  namespace,
  name: names,
  content,
  masquerade: fc.constantFrom("root", "system:masters", "system:admin"),
});
type Writing = typeof writing extends fc.Arbitrary<infer T> ? T : never;

function objectOf(
  kind: Kind,
  { name, content: { rules, subjects, roleRef: ref, labels: given, aggregationRule: aggregated } }: Writing,
): object {
  const head = { apiVersion: `${group}/v1`, kind: kindOf[kind], metadata: { name, labels: given } };
  if (kind.endsWith("bindings")) return { ...head, subjects, roleRef: ref };
  return { ...head, rules, ...(kind === "clusterroles" && aggregated !== undefined ? { aggregationRule: aggregated } : {}) };
}

/** The status of what eve asks for. */
async function write(api: Api, request: Writing): Promise<number> {
  const { how, kind, namespace: where, name } = request;
  const many = kind.startsWith("cluster") ? `${rbac}/${kind}` : `${rbac}/namespaces/${where}/${kind}`;
  const one = `${many}/${name}`;
  const headers = as("eve");
  const body = objectOf(kind, request);
  const sent = {
    create: () => api.send("POST", many, { body, headers }),
    update: () => api.send("PUT", one, { body, headers }),
    merge: () => api.send("PATCH", one, { body, type: "application/merge-patch+json", headers }),
    json: () => api.send("PATCH", one, { body: patchOf(body), type: "application/json-patch+json", headers }),
    apply: () => api.send("PATCH", `${one}?fieldManager=eve&force=true`, { body, type: "application/apply-patch+yaml", headers }),
    delete: () => api.send("DELETE", one, { headers }),
    deletecollection: () => api.send("DELETE", many, { headers }),
    impersonate: () => api.send("POST", many, { body, headers: { ...headers, ...disguise(request) } }),
    sign: () => api.send("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests", { body: signingRequest(name), headers }),
  };
  return (await sent[how]()).status;
}

const disguise = ({ masquerade, namespace: where }: Writing): Record<string, string> =>
  where === "a" ? { "impersonate-user": masquerade } : { "impersonate-user": "eve", "impersonate-group": masquerade };
const patchOf = (object: object) =>
  Object.entries(object).flatMap(([key, value]) =>
    ["rules", "subjects", "roleRef"].includes(key) ? [{ op: "add", path: `/${key}`, value }] : [],
  );
const signingRequest = (name: string) => ({
  metadata: { name },
  spec: { request: "bm9uZQ==", signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"], username: "root" },
});

const verbs = ["get", "create", "delete", "escalate", "bind", "impersonate", "*"];
const resources = [
  ...["pods", "pods/exec", "configmaps", "secrets", "nodes", "users", "*"].map((resource) => ({ group: "", resource })),
  ...[...kinds, "*"].map((resource) => ({ group, resource })),
  { group: "*", resource: "*" },
  { group: "apps", resource: "deployments" },
];

/** What eve may do, of all that is probed. */
async function rightsOf(api: Api): Promise<ReadonlySet<string>> {
  const allowed = new Set<string>();
  const ask = async (attributes: object): Promise<void> => {
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: "eve", groups: ["devs", "system:authenticated"], ...attributes },
    };
    const { status, body: answer } = await api.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      body,
      headers: as("root"),
    });
    assert.equal(status, 201);
    if (answer.status.allowed === true) allowed.add(JSON.stringify(attributes));
  };
  for (const verb of verbs) {
    for (const { resource: full, group: of } of resources) {
      const [resource, subresource = ""] = full.split("/");
      for (const where of ["a", "b", ""]) {
        for (const name of ["", "x"]) await ask({ resourceAttributes: { verb, group: of, resource, subresource, namespace: where, name } });
      }
    }
    for (const path of ["/metrics", "/logs/x", "/x"]) await ask({ nonResourceAttributes: { verb, path } });
  }
  return allowed;
}

const beginning = fc.record({
  isWide: fc.boolean(),
  everywhere: fc.array(ownRule, { maxLength: 3 }),
  inNamespace: fc.array(ownRule, { maxLength: 3 }),
});

async function prepare({ isWide, everywhere, inNamespace }: typeof beginning extends fc.Arbitrary<infer T> ? T : never): Promise<Api> {
  const api = await startApi({ authenticators: [authenticator] });
  const make = async (path: string, body: object): Promise<void> =>
    assert.equal((await api.send("POST", path, { body, headers: as("root") })).status, 201);
  for (const name of ["a", "b"]) await make("/api/v1/namespaces", { metadata: { name } });
  await make(`${rbac}/clusterroles`, { metadata: { name: "own" }, rules: [...everywhere, ...(isWide ? writesRules : [])] });
  await make(`${rbac}/namespaces/a/roles`, { metadata: { name: "own" }, rules: [...inNamespace, ...writesRules] });
  const subjects = [{ apiGroup: group, kind: "User", name: "eve" }];
  const ref = (kind: string) => ({ apiGroup: group, kind, name: "own" });
  await make(`${rbac}/clusterrolebindings`, { metadata: { name: "own" }, roleRef: ref("ClusterRole"), subjects });
  await make(`${rbac}/namespaces/a/rolebindings`, { metadata: { name: "own" }, roleRef: ref("Role"), subjects });
  return api;
}

/** More in a run by hand: `RUNS=5000 SEED=… npm test -- …`. */
const numRuns = Number(process.env.RUNS ?? 60);
const seed = Number(process.env.SEED ?? 20261123);

test("rights do not grow by whatever their owner may do", async (t) => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(beginning, fc.array(writing, { minLength: 10, maxLength: 40 }), async (rights, requests) => {
      const api = await prepare(rights);
      const before = await rightsOf(api);
      for (const request of requests) {
        const status = await write(api, request);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      const gained = [...(await rightsOf(api))].filter((right) => !before.has(right));
      assert.deepEqual(gained, []);
      await api.server.close();
    }),
    { numRuns, seed },
  );
  t.diagnostic(`${numRuns} runs, seed ${seed}: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(", ")}`);
  // Writes that succeed are what the property is about.
  assert.ok((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0) > numRuns && (statuses.get(403) ?? 0) > numRuns);
});
