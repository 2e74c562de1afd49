import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Authenticator } from "@coxswain/apiserver";
import fc from "fast-check";
import { type Answer, type Api, changesAfter, type Json, startApi } from "./api.ts";

/** `Bearer NAME` is that user; `admin` is of `system:masters`. */
const authenticator: Authenticator = ({ headers }) => {
  const name = String(headers.authorization ?? "").replace("Bearer ", "");
  if (name === "") return { kind: "unclaimed" };
  const groups = [...(name === "admin" ? ["system:masters"] : []), "system:authenticated"];
  return { kind: "authenticated", user: { name, uid: "", groups, extra: {} } };
};

const start = (overrides = {}): Promise<Api> => startApi({ authenticators: [authenticator], ...overrides });

interface As {
  readonly as: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const send = (api: Api, method: string, target: string, { as, headers, ...sent }: As): Promise<Answer> =>
  api.send(method, target, { ...sent, headers: { authorization: `Bearer ${as}`, ...headers } });

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
const user = (name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });
const role = (name: string, ...rules: Json[]) => ({ metadata: { name }, rules });
const binding = (name: string, ref: Json, ...subjects: Json[]) => ({ metadata: { name }, roleRef: ref, subjects });
const on = (verbs: string, resources: string, apiGroup = "") => ({
  apiGroups: [apiGroup],
  resources: resources.split(","),
  verbs: verbs.split(","),
});

async function must(answer: Promise<Answer>, status = 201): Promise<Json> {
  const { status: got, body } = await answer;
  assert.equal(got, status, JSON.stringify(body));
  return body;
}

suite("decisions follow the objects", () => {
  test("a change is in force with the answer to its write", async () => {
    const api = await start();
    const read = async () => (await send(api, "GET", "/api/v1/namespaces/default/pods", { as: "jane" })).status;
    const ns = `${rbac}/namespaces/default`;
    assert.equal(await read(), 403);
    await must(send(api, "POST", `${ns}/rolebindings`, { as: "admin", body: binding("b", roleRef("Role", "reader"), user("jane")) }));
    const { message } = await must(send(api, "GET", "/api/v1/namespaces/default/pods", { as: "jane" }), 403);
    assert.equal(
      message,
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default": RBAC: role.rbac.authorization.k8s.io "reader" not found',
    );
    await must(send(api, "POST", `${ns}/roles`, { as: "admin", body: role("reader", on("list", "pods")) }));
    assert.equal(await read(), 200);
    await must(send(api, "PUT", `${ns}/roles/reader`, { as: "admin", body: role("reader", on("get", "pods")) }), 200);
    assert.equal(await read(), 403);
    await must(send(api, "PUT", `${ns}/roles/reader`, { as: "admin", body: role("reader", on("list", "pods")) }), 200);
    await must(send(api, "DELETE", `${ns}/rolebindings/b`, { as: "admin" }), 200);
    assert.equal(await read(), 403);
  });

  test("a server that starts on a store knows its roles", async () => {
    const first = await start();
    await must(
      send(first, "POST", `${rbac}/clusterrolebindings`, {
        as: "admin",
        body: binding("all", roleRef("ClusterRole", "cluster-admin"), user("jane")),
      }),
    );
    const second = await start({ store: first.store });
    assert.equal((await send(second, "GET", "/api/v1/secrets", { as: "jane" })).status, 200);
    assert.equal((await send(second, "GET", "/api/v1/secrets", { as: "bob" })).status, 403);
  });

  test("all users may read health and version, and authenticated ones discovery", async () => {
    const api = await start();
    for (const path of ["/version", "/healthz", "/livez", "/readyz"]) assert.equal((await api.send("GET", path)).status, 200, path);
    for (const path of ["/apis", "/api/v1", "/openapi/v3"]) {
      assert.equal((await api.send("GET", path)).status, 403, path);
      assert.equal((await send(api, "GET", path, { as: "jane" })).status, 200, path);
    }
  });
});

suite("default roles", () => {
  const view = `${rbac}/clusterroles/system:discovery`;

  test("a start adds the rules and subjects that are missing, and leaves what was added", async () => {
    const first = await start();
    const before = await must(send(first, "GET", view, { as: "admin" }), 200);
    const more = { nonResourceURLs: ["/mine"], verbs: ["get"] };
    const [rule] = before.rules;
    const fewer = { ...rule, nonResourceURLs: rule.nonResourceURLs.slice(1) };
    await must(
      send(first, "PUT", view, { as: "admin", body: { ...before, metadata: { name: before.metadata.name }, rules: [fewer, more] } }),
      200,
    );
    await must(
      send(first, "PUT", `${rbac}/clusterrolebindings/system:discovery`, {
        as: "admin",
        body: binding("system:discovery", roleRef("ClusterRole", "system:discovery"), user("jane")),
      }),
      200,
    );
    const second = await start({ store: first.store });
    const after = await must(send(second, "GET", view, { as: "admin" }), 200);
    assert.deepEqual(after.rules, [fewer, more, { nonResourceURLs: [rule.nonResourceURLs[0]], verbs: ["get"] }]);
    assert.equal(after.metadata.labels["kubernetes.io/bootstrapping"], "rbac-defaults");
    const { subjects } = await must(send(second, "GET", `${rbac}/clusterrolebindings/system:discovery`, { as: "admin" }), 200);
    assert.deepEqual(
      subjects.map(({ name }: Json) => name),
      ["jane", "system:authenticated"],
    );
  });

  test("one that opted out stays as it is", async () => {
    const first = await start();
    const before = await must(send(first, "GET", view, { as: "admin" }), 200);
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    await must(
      send(first, "PUT", view, { as: "admin", body: { ...before, metadata: { name: before.metadata.name, annotations }, rules: [] } }),
      200,
    );
    const second = await start({ store: first.store });
    assert.deepEqual((await must(send(second, "GET", view, { as: "admin" }), 200)).rules ?? [], []);
  });

  test("a default binding to another role is created again", async () => {
    const first = await start();
    const path = `${rbac}/clusterrolebindings/system:discovery`;
    await must(send(first, "DELETE", path, { as: "admin" }), 200);
    await must(
      send(first, "POST", `${rbac}/clusterrolebindings`, {
        as: "admin",
        body: binding("system:discovery", roleRef("ClusterRole", "view"), user("jane")),
      }),
    );
    const second = await start({ store: first.store });
    assert.equal((await must(send(second, "GET", path, { as: "admin" }), 200)).roleRef.name, "system:discovery");
  });

  test("a start that finds all in order writes nothing", async () => {
    const first = await start();
    const { revision } = first.store;
    await start({ store: first.store });
    assert.deepEqual(changesAfter(first.store, revision), []);
  });
});

suite("escalation", () => {
  const rules = (verbs: string) => [on(verbs, "roles,rolebindings", "rbac.authorization.k8s.io"), on("get", "pods")];

  async function withWriter(verbs: string): Promise<Api> {
    const api = await start();
    const ns = `${rbac}/namespaces/default`;
    await must(send(api, "POST", `${ns}/roles`, { as: "admin", body: role("writer", ...rules(verbs)) }));
    await must(send(api, "POST", `${ns}/rolebindings`, { as: "admin", body: binding("writer", roleRef("Role", "writer"), user("jane")) }));
    return api;
  }
  const ns = `${rbac}/namespaces/default`;
  const refused = (name: string, what: string, kind = "roles") =>
    `${kind}.rbac.authorization.k8s.io "${name}" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${what}`;

  test("a role may hold what its writer holds, and no more", async () => {
    const api = await withWriter("create,update,patch,get");
    await must(send(api, "POST", `${ns}/roles`, { as: "jane", body: role("same", on("get", "pods")) }));
    const answer = await must(send(api, "POST", `${ns}/roles`, { as: "jane", body: role("more", on("get,list", "pods,secrets")) }), 403);
    assert.equal(
      answer.message,
      refused(
        "more",
        '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      ),
    );
    const patch = { rules: [on("*", "*", "*")] };
    const patched = send(api, "PATCH", `${ns}/roles/same`, { as: "jane", body: patch, type: "application/merge-patch+json" });
    assert.equal((await must(patched, 403)).message, refused("same", '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}'));
  });

  test("`escalate` allows a role beyond one's own rules", async () => {
    const api = await withWriter("create,escalate");
    await must(send(api, "POST", `${ns}/roles`, { as: "jane", body: role("more", on("get", "secrets")) }));
  });

  test("a binding may refer to a role whose rules its writer holds, or may `bind`", async () => {
    const api = await withWriter("create,get");
    await must(send(api, "POST", `${ns}/roles`, { as: "admin", body: role("pods", on("get", "pods")) }));
    await must(send(api, "POST", `${ns}/roles`, { as: "admin", body: role("secrets", on("get", "secrets")) }));
    const bind = (name: string) =>
      send(api, "POST", `${ns}/rolebindings`, { as: "jane", body: binding(name, roleRef("Role", name), user("bob")) });
    await must(bind("pods"));
    const { message } = await must(bind("secrets"), 403);
    assert.equal(message, refused("secrets", '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}', "rolebindings"));
    assert.equal((await must(bind("absent"), 404)).message, 'role.rbac.authorization.k8s.io "absent" not found');
    await must(
      send(api, "POST", `${ns}/roles`, {
        as: "admin",
        body: role("binder", { ...on("bind", "roles", "rbac.authorization.k8s.io"), resourceNames: ["secrets"] }),
      }),
    );
    await must(send(api, "POST", `${ns}/rolebindings`, { as: "admin", body: binding("binder", roleRef("Role", "binder"), user("jane")) }));
    await must(bind("secrets"));
  });

  test("only who may do everything sets an aggregation rule", async () => {
    const api = await start();
    await must(
      send(api, "POST", `${rbac}/clusterroles`, {
        as: "admin",
        body: role("roles", on("create", "clusterroles", "rbac.authorization.k8s.io")),
      }),
    );
    await must(
      send(api, "POST", `${rbac}/clusterrolebindings`, {
        as: "admin",
        body: binding("roles", roleRef("ClusterRole", "roles"), user("jane")),
      }),
    );
    const body = { ...role("sum"), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } };
    const { message } = await must(send(api, "POST", `${rbac}/clusterroles`, { as: "jane", body }), 403);
    assert.match(message, /must have cluster-admin privileges to use the aggregationRule$/);
    await must(send(api, "POST", `${rbac}/clusterroles`, { as: "admin", body }));
  });

  test("no sequence of allowed requests widens the rules of its sender", async () => {
    const words = { verbs: ["get", "list", "create", "update", "*"], resources: ["pods", "secrets", "roles", "rolebindings", "*"] };
    const rule = fc
      .record({
        verbs: fc.subarray(words.verbs, { minLength: 1 }),
        resources: fc.subarray(words.resources, { minLength: 1 }),
        group: fc.constantFrom("", "rbac.authorization.k8s.io", "*"),
      })
      .map(({ verbs, resources, group }) => ({ apiGroups: [group], resources, verbs }));
    const request = fc.oneof(
      fc.record({
        kind: fc.constant("roles"),
        name: fc.constantFrom("writer", "r1", "r2"),
        method: fc.constantFrom("POST", "PUT"),
        rules: fc.array(rule, { maxLength: 3 }),
      }),
      fc.record({
        kind: fc.constant("rolebindings"),
        name: fc.constantFrom("writer", "b1", "b2"),
        method: fc.constantFrom("POST", "PUT"),
        to: fc.constantFrom("writer", "r1", "r2", "admin", "cluster-admin", "edit"),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (requests) => {
        const api = await withWriter("create,update,get");
        const mayBefore = await rulesOf(api);
        for (const one of requests) {
          const ref = "to" in one ? roleRef(one.to.startsWith("r") || one.to === "writer" ? "Role" : "ClusterRole", one.to) : undefined;
          const body = ref === undefined ? role(one.name, ...("rules" in one ? one.rules : [])) : binding(one.name, ref, user("jane"));
          await send(api, one.method, `${ns}/${one.kind}${one.method === "PUT" ? `/${one.name}` : ""}`, { as: "jane", body });
        }
        for (const line of await rulesOf(api)) assert.ok(mayBefore.has(line), line);
      }),
      { numRuns: 40 },
    );
  });

  /** What jane may do in the namespace, tried one by one. */
  async function rulesOf(api: Api): Promise<Set<string>> {
    const allowed = new Set<string>();
    for (const [group, resource] of [
      ["", "pods"],
      ["", "secrets"],
      ["apps", "deployments"],
      ["rbac.authorization.k8s.io", "roles"],
      ["rbac.authorization.k8s.io", "rolebindings"],
    ]) {
      for (const verb of ["get", "list", "create", "update", "delete", "escalate", "bind"]) {
        const spec = { resourceAttributes: { namespace: "default", group, resource, verb } };
        const { status } = await must(
          send(api, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { as: "jane", body: { spec } }),
        );
        if (status.allowed) allowed.add(`${verb} ${resource}`);
      }
    }
    return allowed;
  }
});

suite("impersonation over HTTP", () => {
  test("acts with the rights of the other and without one's own", async () => {
    const api = await start();
    const headers = { "impersonate-user": "bob" };
    assert.match(
      (await must(send(api, "GET", "/api/v1/pods", { as: "admin", headers }), 403)).message,
      /^pods is forbidden: User "bob" cannot list resource "pods"/,
    );
    const whoami = { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" };
    const review = await must(
      send(api, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
        as: "admin",
        headers: { ...headers, "impersonate-group": "a, system:masters" },
        body: whoami,
      }),
    );
    assert.deepEqual(review.status.userInfo, { username: "bob", groups: ["a, system:masters", "system:authenticated"] });
  });

  test("whoever may not impersonate is refused", async () => {
    const api = await start();
    const { message } = await must(send(api, "GET", "/api/v1/pods", { as: "jane", headers: { "impersonate-user": "admin" } }), 403);
    assert.match(message, /^pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods"/);
  });
});
