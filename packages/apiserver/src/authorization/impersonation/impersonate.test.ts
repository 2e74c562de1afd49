import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { StatusError } from "@coxswain/machinery";
import type { UserInfo } from "../../contracts/authenticator.ts";
import type { AuthorizationAttributes, Authorizer } from "../../contracts/authorizer.ts";
import { impersonate } from "./impersonate.ts";
import { wantedUser } from "./wanted-user.ts";

const jane: UserInfo = { name: "jane", uid: "", groups: ["system:authenticated"], extra: {} };
const noUser: UserInfo = { name: "", uid: "", groups: [], extra: {} };
const robot: UserInfo = {
  ...noUser,
  name: "system:serviceaccount:ns:robot",
  extra: { "authentication.kubernetes.io/node-name": ["node-1"] },
};
const listPods = (user: UserInfo): AuthorizationAttributes => ({
  kind: "resource",
  user,
  verb: "list",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "ns",
  name: "",
});

const lineOf = (asked: AuthorizationAttributes): string => {
  if (asked.kind === "path") return `${asked.verb} ${asked.path}`;
  const { verb, group, resource, subresource, namespace, name } = asked;
  return [verb, `${resource}${subresource && `/${subresource}`}${group && `.${group}`}`, namespace, name].filter(Boolean).join(" ");
};

/** Allows what is listed, as lines of verb, resource, namespace and name. */
function allowing(...lines: string[]): { readonly authorize: Authorizer; readonly asked: string[] } {
  const asked: string[] = [];
  const authorize: Authorizer = (attributes) => {
    asked.push(lineOf(attributes));
    return { kind: lines.includes(lineOf(attributes)) ? "allow" : "noOpinion", reason: "" };
  };
  return { authorize, asked };
}

suite("legacy impersonation asks for each part", () => {
  const cases: readonly { readonly wanted: Partial<UserInfo>; readonly needs: readonly string[]; readonly groups: readonly string[] }[] = [
    { wanted: { name: "bob" }, needs: ["impersonate users bob"], groups: ["system:authenticated"] },
    {
      wanted: { name: "bob", groups: ["devs", "system:masters"] },
      needs: ["impersonate users bob", "impersonate groups devs", "impersonate groups system:masters"],
      groups: ["devs", "system:masters", "system:authenticated"],
    },
    {
      wanted: { name: "system:serviceaccount:ns:robot" },
      needs: ["impersonate serviceaccounts ns robot"],
      groups: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
    },
    {
      wanted: { name: "bob", uid: "7", extra: { "acme.io/a": ["x", "y"] } },
      needs: [
        "impersonate users bob",
        "impersonate uids.authentication.k8s.io 7",
        "impersonate userextras/acme.io/a.authentication.k8s.io x",
        "impersonate userextras/acme.io/a.authentication.k8s.io y",
      ],
      groups: ["system:authenticated"],
    },
    { wanted: { name: "system:anonymous" }, needs: ["impersonate users system:anonymous"], groups: ["system:unauthenticated"] },
    {
      wanted: { name: "bob", groups: ["system:unauthenticated"] },
      needs: ["impersonate users bob", "impersonate groups system:unauthenticated"],
      groups: ["system:unauthenticated"],
    },
  ];
  for (const { wanted, needs, groups } of cases) {
    test(JSON.stringify(wanted), async () => {
      const { user } = await impersonate(allowing(...needs).authorize, { ...noUser, ...wanted }, listPods(jane));
      assert.deepEqual(user, { ...noUser, ...wanted, groups });
      for (const missing of needs) {
        const { authorize } = allowing(...needs.filter((line) => line !== missing));
        await assert.rejects(impersonate(authorize, { ...noUser, ...wanted }, listPods(jane)), (error) => isForbidden(error));
      }
    });
  }
});

const isForbidden = (error: unknown): boolean => error instanceof StatusError && error.status.code === 403;

suite("constrained impersonation", () => {
  const on = "impersonate-on:user-info:list pods ns";

  test("allows a user for one verb on one resource", async () => {
    const { authorize, asked } = allowing(on, "impersonate:user-info users.authentication.k8s.io bob");
    const { user } = await impersonate(authorize, { ...noUser, name: "bob" }, listPods(jane));
    assert.deepEqual([user.name, user.groups], ["bob", ["system:authenticated"]]);
    assert.deepEqual(asked, [on, "impersonate:user-info users.authentication.k8s.io bob"]);
  });

  test("never gives the group of those who may do everything", async () => {
    const { authorize } = allowing(
      on,
      "impersonate:user-info users.authentication.k8s.io bob",
      "impersonate:user-info groups.authentication.k8s.io system:masters",
      "impersonate:user-info groups.authentication.k8s.io *",
    );
    await assert.rejects(
      impersonate(authorize, { ...noUser, name: "bob", groups: ["system:masters"] }, listPods(jane)),
      /impersonating the system:masters group is not allowed$/,
    );
  });

  test("a service account gets the groups of its namespace", async () => {
    const { authorize } = allowing(
      "impersonate-on:serviceaccount:list pods ns",
      "impersonate:serviceaccount serviceaccounts.authentication.k8s.io ns robot",
    );
    const { user } = await impersonate(authorize, { ...noUser, name: robot.name }, listPods(jane));
    assert.deepEqual(user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"]);
  });

  test("a service account may be the node it runs on, and no other", async () => {
    const { authorize } = allowing(
      "impersonate-on:associated-node:list pods ns",
      "impersonate:associated-node nodes.authentication.k8s.io *",
    );
    const { user } = await impersonate(authorize, { ...noUser, name: "system:node:node-1" }, listPods(robot));
    assert.deepEqual(user.groups, ["system:nodes", "system:authenticated"]);
    await assert.rejects(
      impersonate(authorize, { ...noUser, name: "system:node:node-2" }, listPods(robot)),
      /^StatusError: pods is forbidden: User "system:serviceaccount:ns:robot" cannot impersonate-on:arbitrary-node:list resource "pods"/,
    );
  });

  test("many groups are allowed together", async () => {
    const groups = ["a", "b", "c", "d"];
    const { authorize } = allowing(
      on,
      "impersonate:user-info users.authentication.k8s.io bob",
      "impersonate:user-info groups.authentication.k8s.io *",
    );
    const { user } = await impersonate(authorize, { ...noUser, name: "bob", groups }, listPods(jane));
    assert.deepEqual(user.groups, [...groups, "system:authenticated"]);
  });

  for (const [extra, why] of [
    [{ scopes: ["a"] }, 'Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")'],
    [{ "acme.io/Foo": ["a"] }, 'impersonating a non-lowercase key in extra is not allowed: "acme.io/Foo"'],
    [{ "acme.io/foo": [""] }, "impersonating the empty string value in extra is not allowed"],
  ] as const)
    test(`refuses the extra ${JSON.stringify(extra)}`, async () => {
      const { authorize } = allowing(on, "impersonate:user-info users.authentication.k8s.io bob");
      await assert.rejects(impersonate(authorize, { ...noUser, name: "bob", extra }, listPods(jane)), (error) => {
        assert.ok(error instanceof StatusError && error.message.includes(why), String(error));
        return true;
      });
    });
});

test("headers that Node has joined are taken as they were sent", () => {
  const rawHeaders = [
    "Impersonate-User",
    "jane",
    "Impersonate-User",
    "root",
    "Impersonate-Group",
    "a, system:masters",
    "impersonate-group",
    "b",
  ];
  const headers = { "impersonate-user": "jane, root", "impersonate-group": "a, system:masters, b" };
  assert.deepEqual(wantedUser({ headers, rawHeaders }), { ...noUser, name: "jane", groups: ["a, system:masters", "b"] });
});

suite("headers", () => {
  const unnamed = (fields: string): string => `requested &user.DefaultInfo{Name:"", ${fields}} without impersonating a user name`;
  const cases = [
    { headers: { "user-agent": "kubectl", authorization: "Bearer x" }, expect: undefined },
    { headers: { "impersonate-user": "" }, expect: undefined },
    { headers: { "impersonate-user": "jane", "impersonate-group": ["a", "b"] }, expect: { ...noUser, name: "jane", groups: ["a", "b"] } },
    { headers: { "impersonate-user": "jane", "impersonate-group": "a, b" }, expect: { ...noUser, name: "jane", groups: ["a, b"] } },
    { headers: { "impersonate-user": ["jane", "root"] }, expect: { ...noUser, name: "jane" } },
    {
      headers: { "impersonate-user": "jane", "impersonate-uid": "7", "impersonate-extra-acme.io%2fa": "1" },
      expect: { name: "jane", uid: "7", groups: [], extra: { "acme.io/a": ["1"] } },
    },
    { headers: { "impersonate-group": ["a", "b"] }, expect: unnamed('UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)') },
    { headers: { "impersonate-uid": "7" }, expect: unnamed('UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)') },
    {
      headers: { "impersonate-extra-b": "2", "impersonate-extra-a%2fa": "1" },
      expect: unnamed('UID:"", Groups:[]string(nil), Extra:map[string][]string{"a/a":[]string{"1"}, "b":[]string{"2"}}'),
    },
  ];
  for (const { headers, expect } of cases)
    test(JSON.stringify(headers), () => {
      const read = () => wantedUser({ headers });
      if (typeof expect === "string") assert.throws(read, { message: expect });
      else assert.deepEqual(read(), expect);
    });
});
