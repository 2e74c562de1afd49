import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { rbacV1 } from "@coxswain/api";
import fc from "fast-check";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import { rbacAuthorizer } from "./rbac-authorizer.ts";
import { RbacIndex } from "./rbac-index.ts";

const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: "", groups, extra: {} });
const jane = user("jane", "devs", "system:authenticated");

interface Asked {
  readonly by?: UserInfo;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

const to = (verb: string, resource: string, { by = jane, group = "", subresource = "", namespace = "", name = "" }: Asked = {}) =>
  ({ kind: "resource", user: by, verb, group, version: "v1", resource, subresource, namespace, name }) as const;
const path = (verb: string, path: string): AuthorizationAttributes => ({ kind: "path", user: jane, verb, path });

const rule = (verbs: string, resources: string, more: Partial<rbacV1.PolicyRule> = {}): rbacV1.PolicyRule => ({
  apiGroups: [""],
  resources: resources.split(","),
  verbs: verbs.split(","),
  ...more,
});

/** An index in which jane is bound to one cluster role with these rules. */
function boundInCluster(...rules: rbacV1.PolicyRule[]): RbacIndex {
  const index = new RbacIndex();
  index.setRole("", "role", { rules });
  index.setBinding("", "binding", {
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "role" },
    subjects: [{ kind: "User", name: "jane" }],
  });
  return index;
}

const decide = async (index: RbacIndex, attributes: AuthorizationAttributes) => (await rbacAuthorizer(index)(attributes)).kind === "allow";

suite("rules", () => {
  const cases: readonly {
    readonly rule: rbacV1.PolicyRule;
    readonly allows: readonly AuthorizationAttributes[];
    readonly refuses: readonly AuthorizationAttributes[];
  }[] = [
    {
      rule: rule("get,list", "pods"),
      allows: [to("get", "pods"), to("list", "pods", { namespace: "ns" })],
      refuses: [to("watch", "pods"), to("get", "pods", { subresource: "log" }), to("get", "pods", { group: "apps" }), path("get", "/pods")],
    },
    {
      rule: rule("get", "pods/log"),
      allows: [to("get", "pods", { subresource: "log" })],
      refuses: [to("get", "pods"), to("get", "pods", { subresource: "exec" })],
    },
    {
      rule: rule("update", "*/scale", { apiGroups: ["*"] }),
      allows: [to("update", "deployments", { group: "apps", subresource: "scale" })],
      refuses: [to("update", "deployments", { group: "apps", subresource: "status" }), to("update", "scale")],
    },
    {
      rule: rule("get", "pods/*"),
      allows: [],
      refuses: [to("get", "pods", { subresource: "log" })],
    },
    {
      rule: rule("get", "*"),
      allows: [to("get", "pods"), to("get", "pods", { subresource: "log" })],
      refuses: [to("get", "deployments", { group: "apps" })],
    },
    {
      rule: rule("*", "secrets", { resourceNames: ["a", "b"] }),
      allows: [to("get", "secrets", { name: "a" }), to("update", "secrets", { name: "b" })],
      refuses: [to("create", "secrets"), to("list", "secrets"), to("get", "secrets", { name: "c" })],
    },
    {
      rule: { verbs: ["get"], nonResourceURLs: ["/healthz", "/metrics/*", "/api**"] },
      allows: [path("get", "/healthz"), path("get", "/metrics/"), path("get", "/metrics/cadvisor"), path("get", "/apis")],
      refuses: [path("get", "/healthz/"), path("get", "/metrics"), path("post", "/healthz"), to("get", "pods")],
    },
    {
      rule: { verbs: ["*"], nonResourceURLs: ["*"] },
      allows: [path("put", "/anything")],
      refuses: [to("get", "pods")],
    },
  ];
  for (const { rule: given, allows, refuses } of cases) {
    test(JSON.stringify(given), async () => {
      const index = boundInCluster(given);
      for (const attributes of allows) assert.equal(await decide(index, attributes), true, JSON.stringify(attributes));
      for (const attributes of refuses) assert.equal(await decide(index, attributes), false, JSON.stringify(attributes));
    });
  }
});

suite("decisions", () => {
  test("the reason names the binding, the role and the subject", async () => {
    const { reason } = await rbacAuthorizer(boundInCluster(rule("get", "pods")))(to("get", "pods"));
    assert.equal(reason, 'RBAC: allowed by ClusterRoleBinding "binding" of ClusterRole "role" to User "jane"');
  });

  test("a RoleBinding reaches no further than its namespace, and its subjects may leave theirs out", async () => {
    const index = new RbacIndex();
    index.setRole("", "reader", { rules: [rule("get", "pods")] });
    index.setBinding("ns", "read", {
      kind: "RoleBinding",
      roleRef: { kind: "ClusterRole", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "robot" }],
    });
    const robot = user("system:serviceaccount:ns:robot");
    const decision = await rbacAuthorizer(index)(to("get", "pods", { by: robot, namespace: "ns" }));
    assert.equal(decision.reason, 'RBAC: allowed by RoleBinding "read/ns" of ClusterRole "reader" to ServiceAccount "robot/ns"');
    for (const namespace of ["", "other"]) assert.equal(await decide(index, to("get", "pods", { by: robot, namespace })), false);
  });

  test("a role that is not there is the reason of a refusal, and its coming counts at once", async () => {
    const index = new RbacIndex();
    const bind = (name: string, role: string) =>
      index.setBinding("ns", name, {
        kind: "RoleBinding",
        roleRef: { kind: "Role", name: role },
        subjects: [
          { kind: "Group", name: "devs" },
          { kind: "User", name: "jane" },
        ],
      });
    bind("a", "absent");
    const ask = () => rbacAuthorizer(index)(to("get", "pods", { namespace: "ns" }));
    const missing = (name: string) => `role.rbac.authorization.k8s.io "${name}" not found`;
    assert.equal((await ask()).reason, `RBAC: ${missing("absent")}`);
    bind("b", "gone");
    assert.equal((await ask()).reason, `RBAC: [${missing("absent")}, ${missing("gone")}]`);
    index.setRole("ns", "absent", { rules: [rule("get", "pods")] });
    assert.equal((await ask()).kind, "allow");
    index.setBinding("ns", "a", undefined);
    index.setBinding("ns", "b", undefined);
    assert.deepEqual(await ask(), { kind: "noOpinion", reason: "" });
  });
});

suite("the index against a model", () => {
  const word = (...words: string[]) => fc.constantFrom(...words);
  const some = (...words: string[]) => fc.uniqueArray(word(...words), { minLength: 1, maxLength: 3 });
  const rules = fc.array(
    fc.oneof(
      fc.record({
        apiGroups: some("", "apps", "*"),
        resources: some("pods", "pods/log", "*/log", "*", "secrets"),
        verbs: some("get", "list", "*"),
        resourceNames: fc.uniqueArray(word("a", "b"), { maxLength: 2 }),
      }),
      fc.record({ nonResourceURLs: some("/a", "/a/*", "*", "/b**"), verbs: some("get", "put", "*") }),
    ),
    { maxLength: 3 },
  );
  const namespaces = word("", "n1", "n2");
  const subject = fc.oneof(
    fc.record({ kind: word("User"), name: word("jane", "bob") }),
    fc.record({ kind: word("Group"), name: word("devs", "ops") }),
    fc.record({ kind: word("ServiceAccount"), name: word("robot"), namespace: word("", "n1", "n2") }),
  );
  const change = fc.oneof(
    fc.record({ type: fc.constant("role" as const), namespace: namespaces, name: word("r", "s"), rules: fc.option(rules) }),
    fc.record({
      type: fc.constant("binding" as const),
      namespace: namespaces,
      name: word("x", "y"),
      kind: word("ClusterRole", "Role"),
      role: word("r", "s"),
      subjects: fc.option(fc.array(subject, { maxLength: 3 })),
    }),
  );
  const asker = fc.record({
    name: word("jane", "bob", "system:serviceaccount:n1:robot", "system:serviceaccount:n2:robot"),
    groups: fc.uniqueArray(word("devs", "ops"), { maxLength: 2 }),
  });
  const question = fc.oneof(
    fc.record({
      kind: fc.constant("resource" as const),
      user: asker,
      verb: word("get", "list", "put"),
      group: word("", "apps"),
      resource: word("pods", "secrets"),
      subresource: word("", "log"),
      namespace: namespaces,
      name: word("", "a", "c"),
    }),
    fc.record({ kind: fc.constant("path" as const), user: asker, verb: word("get", "put"), path: word("/a", "/a/b", "/b", "/c") }),
  );

  test("decides as the rules do, after every change", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(change, fc.array(question, { maxLength: 4 })), { maxLength: 12 }), async (steps) => {
        const index = new RbacIndex();
        const model = new Model();
        for (const [made, questions] of steps) {
          if (made.type === "role") {
            index.setRole(made.namespace, made.name, made.rules === null ? undefined : { rules: made.rules });
            model.roles.set(`${made.namespace}/${made.name}`, made.rules ?? undefined);
          } else {
            const kind = made.namespace === "" ? "ClusterRole" : made.kind;
            const binding = made.subjects === null ? undefined : { roleRef: { kind, name: made.role }, subjects: made.subjects };
            index.setBinding(made.namespace, made.name, binding);
            model.bindings.set(`${made.namespace}/${made.name}`, binding && { ...binding, namespace: made.namespace });
          }
          for (const asked of questions) {
            const attributes = { version: "v1", ...asked, user: { ...asked.user, uid: "", extra: {} } } as AuthorizationAttributes;
            assert.equal(await decide(index, attributes), model.allows(attributes), JSON.stringify(asked));
          }
        }
      }),
    );
  });
});

/** The rules of RBAC as its page says them, one after another. */
class Model {
  readonly roles = new Map<string, readonly Partial<rbacV1.PolicyRule>[] | undefined>();
  readonly bindings = new Map<
    string,
    { readonly namespace: string; readonly roleRef: rbacV1.RoleRef; readonly subjects: rbacV1.Subject[] } | undefined
  >();

  allows(attributes: AuthorizationAttributes): boolean {
    const asked = attributes.kind === "resource" ? attributes.namespace : "";
    return [...this.bindings.values()].some((binding) => {
      if (binding === undefined || (binding.namespace !== "" && binding.namespace !== asked)) return false;
      if (!binding.subjects.some((one) => isSubject(one, binding.namespace, attributes.user))) return false;
      const rules = this.roles.get(`${binding.roleRef.kind === "Role" ? binding.namespace : ""}/${binding.roleRef.name}`);
      return (rules ?? []).some((one) => ruleAllows(one, attributes));
    });
  }
}

function isSubject({ kind, name, namespace = "" }: rbacV1.Subject, bindingNamespace: string, asker: UserInfo): boolean {
  if (kind === "User") return asker.name === name;
  if (kind === "Group") return asker.groups.includes(name);
  const place = namespace || bindingNamespace;
  return place !== "" && asker.name === `system:serviceaccount:${place}:${name}`;
}

function ruleAllows(given: Partial<rbacV1.PolicyRule>, attributes: AuthorizationAttributes): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = given;
  if (!verbs.includes("*") && !verbs.includes(attributes.verb)) return false;
  if (attributes.kind === "path")
    return nonResourceURLs.some(
      (url) => url === attributes.path || (url.endsWith("*") && attributes.path.startsWith(url.replace(/\*+$/, ""))),
    );
  const { group, resource, subresource, name } = attributes;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  const matches = (one: string): boolean => one === "*" || one === whole || (subresource !== "" && one === `*/${subresource}`);
  if (!apiGroups.includes("*") && !apiGroups.includes(group)) return false;
  return resources.some(matches) && (resourceNames.length === 0 || resourceNames.includes(name));
}
