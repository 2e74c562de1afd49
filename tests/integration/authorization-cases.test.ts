/** Who may do what: subjects bound to default roles, verbs, resources and scopes; anything but 403 counts as allowed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Authenticator } from "@coxswain/apiserver";
import { startApi } from "./api.ts";

const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  const groups = [...(name === "root" ? ["system:masters"] : []), "system:authenticated"];
  return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};

const reads = ["get", "list"];
const all = [...reads, "create", "update", "patch", "delete"];
type Rights = Readonly<Record<string, readonly string[]>>;
const rights = {
  view: { pods: reads, configmaps: reads },
  edit: { pods: all, configmaps: all, secrets: all },
  admin: { pods: all, configmaps: all, secrets: all, roles: all },
} satisfies Record<string, Rights>;

/** What the roles are aggregated from, which a controller would do. */
const parts = { view: ["view"], edit: ["view", "edit"], admin: ["view", "edit", "admin"] } as const;

/** Where a subject has its role: by a RoleBinding in Namespace `a`, or everywhere. */
const subjects: readonly { readonly name: string; readonly role?: keyof typeof rights; readonly everywhere?: true }[] = [
  { name: "viewer", role: "view" },
  { name: "editor", role: "edit" },
  { name: "owner", role: "admin" },
  { name: "auditor", role: "view", everywhere: true },
  { name: "operator", role: "edit", everywhere: true },
  { name: "nobody" },
];

const methods: Readonly<Record<string, string>> = {
  get: "GET",
  list: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};
const groupOf = (resource: string) => (resource === "roles" ? "/apis/rbac.authorization.k8s.io/v1" : "/api/v1");

test("subjects may do what their roles allow, where they are bound, and no more", async () => {
  const api = await startApi({ authenticators: [authenticator] });
  const asRoot = async (path: string, body: unknown) =>
    (await api.send("POST", path, { body, headers: { authorization: "Bearer root" } })).status;
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  for (const { name, role, everywhere } of subjects) {
    if (role === undefined) continue;
    if (everywhere !== true) await asRoot("/api/v1/namespaces", { metadata: { name: "a" } });
    const path = everywhere === true ? `${rbac}/clusterrolebindings` : `${rbac}/namespaces/a/rolebindings`;
    for (const part of parts[role])
      assert.equal(
        await asRoot(path, {
          metadata: { name: `${name}-${part}` },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `system:aggregate-to-${part}` },
          subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
        }),
        201,
      );
  }
  let cases = 0;
  for (const { name, role, everywhere } of subjects)
    for (const namespace of ["a", "default"])
      for (const resource of ["pods", "configmaps", "secrets", "roles", "resourcequotas/status"])
        for (const verb of all) {
          const [plural = "", subresource] = resource.split("/");
          if (subresource !== undefined && !["update", "patch"].includes(verb)) continue;
          const there = `${groupOf(plural)}/namespaces/${namespace}/${plural}`;
          const one = `${there}/x${subresource === undefined ? "" : `/${subresource}`}`;
          const target = verb === "list" || verb === "create" ? there : one;
          const sent = ["create", "update", "patch"].includes(verb) ? { body: {} } : {};
          const type = verb === "patch" ? { type: "application/merge-patch+json" } : {};
          const { status } = await api.send(methods[verb] ?? "", target, {
            ...sent,
            ...type,
            headers: { authorization: `Bearer ${name}` },
          });
          const has = role !== undefined && (everywhere === true || namespace === "a");
          const granted = has && ((rights[role] as Rights)[resource] ?? []).includes(verb);
          assert.equal(status !== 403, granted, `${name} ${verb} ${resource} in ${namespace}: ${status}`);
          cases++;
        }
  assert.ok(cases >= 300, String(cases));
});
