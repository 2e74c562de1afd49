/** No part of the control plane reads Secrets but those whose role in Kubernetes says so, and none writes roles or asks as another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, secrets } from "@coxswain/client";
import { builtInControllers } from "@coxswain/controllers";
import { startCluster } from "coxswain/testing";

const account = (name: string) => `system:serviceaccount:kube-system:${name}`;

/** They collect, delete or count objects of every resource. */
const readers: Readonly<Record<string, readonly string[]>> = {
  [account("generic-garbage-collector")]: ["get", "list"],
  [account("namespace-controller")]: ["get", "list"],
  [account("resourcequota-controller")]: ["list"],
  "system:kube-controller-manager": ["get", "list"],
};

const users = [
  ...new Set(builtInControllers.map(({ serviceAccount = "" }) => account(serviceAccount))),
  "system:kube-controller-manager",
  "system:kube-scheduler",
];

const clientOf = (cluster: { clientFor(user: { name: string; groups: string[] }): Client }, name: string): Client => {
  const groups = name.startsWith("system:serviceaccount:") ? ["system:serviceaccounts", "system:serviceaccounts:kube-system"] : [];
  return cluster.clientFor({ name, groups });
};

/** What the server answers to a POST of a SelfSubjectAccessReview. */
async function mayDo(client: Client, resourceAttributes: api.authorizationV1.ResourceAttributes): Promise<boolean> {
  const body = JSON.stringify({ apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } });
  const answer = await client.request({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: Buffer.from(body),
  });
  const { status } = JSON.parse(Buffer.from(await answer.bytes()).toString()) as api.authorizationV1.SelfSubjectAccessReview;
  return status?.allowed === true;
}

test("every controller has an account of its own in Kubernetes", () => {
  assert.deepEqual(
    builtInControllers.filter(({ serviceAccount }) => serviceAccount === undefined),
    [],
  );
});

test("parts of the control plane read no Secret that they have no business with", async (t) => {
  await using cluster = await startCluster();
  await cluster.client.resource(secrets).create({ metadata: { name: "private" }, stringData: { key: "value" } });
  for (const name of users) {
    await t.test(name, async () => {
      const resource = clientOf(cluster, name).resource(secrets);
      const attempts = { get: () => resource.get("private"), list: () => resource.list() };
      const allowed: string[] = [];
      for (const [verb, attempt] of Object.entries(attempts)) {
        const error: unknown = await attempt().then(
          () => undefined,
          (error: unknown) => error,
        );
        if (error === undefined) allowed.push(verb);
        else assert.match(String(error), new RegExp(`User "${name}" cannot ${verb} resource "secrets"`));
      }
      assert.deepEqual(allowed, readers[name] ?? []);
    });
  }
});

test("parts of the control plane give themselves no rights", async (t) => {
  await using cluster = await startCluster();
  const group = "rbac.authorization.k8s.io";
  const beyond: readonly api.authorizationV1.ResourceAttributes[] = [
    { verb: "create", group, resource: "clusterrolebindings" },
    { verb: "bind", group, resource: "clusterroles" },
    { verb: "impersonate", resource: "users" },
    { verb: "*", group: "*", resource: "*" },
  ];
  for (const name of users) {
    await t.test(name, async () => {
      const client = clientOf(cluster, name);
      for (const attributes of beyond) assert.equal(await mayDo(client, attributes), false, JSON.stringify(attributes));
    });
  }
});
