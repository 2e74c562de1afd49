import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, pods, serviceAccounts } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

type Pod = api.coreV1.Pod;

const withAccounts = () => startCluster({ clock: virtualClock({ autoAdvance: true }), admission: { enable: ["ServiceAccount"] } });

const podOf = (spec: Partial<api.coreV1.PodSpec> = {}, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name: "web", annotations },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

test("a Pod gets the default account and its token", async () => {
  await using cluster = await withAccounts();
  await cluster.client.resource(serviceAccounts).create({ metadata: { name: "default" }, imagePullSecrets: [{ name: "pull" }] });
  const init = { name: "i", image: "i", volumeMounts: [{ name: "own", mountPath: tokenPath }] };
  const volumes = [{ name: "own", emptyDir: {} }];
  const { spec } = await cluster.client.resource(pods).create(podOf({ initContainers: [init], volumes }));
  const name = spec?.volumes?.[1]?.name ?? "";
  assert.match(name, /^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  assert.deepEqual(
    [
      spec?.serviceAccountName,
      spec?.serviceAccount,
      spec?.imagePullSecrets,
      spec?.containers[0]?.volumeMounts,
      spec?.initContainers?.[0]?.volumeMounts,
    ],
    ["default", "default", [{ name: "pull" }], [{ name, readOnly: true, mountPath: tokenPath }], [{ name: "own", mountPath: tokenPath }]],
  );
  assert.deepEqual(spec?.volumes?.[1], {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
      ],
      defaultMode: 420,
    },
  });
});

test("a Pod, or else its account, may do without a token", async () => {
  await using cluster = await withAccounts();
  await cluster.client.resource(serviceAccounts).create({ metadata: { name: "a" }, automountServiceAccountToken: false });
  const create = async (name: string, spec: Partial<api.coreV1.PodSpec>) => {
    const pod = podOf({ serviceAccountName: "a", ...spec });
    return (await cluster.client.resource(pods).create({ ...pod, metadata: { name } })).spec?.volumes?.length ?? 0;
  };
  assert.deepEqual([await create("p1", {}), await create("p2", { automountServiceAccountToken: true })], [0, 1]);
});

const refusals: readonly { name: string; pod: Pod; account?: api.coreV1.ServiceAccount; expect: string }[] = [
  {
    name: "without an account that is there",
    pod: podOf({ serviceAccountName: "no" }),
    expect: 'pods "web" is forbidden: error looking up service account default/no: serviceaccount "no" not found',
  },
  {
    name: "without the default account",
    pod: podOf(),
    expect: 'pods "web" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
  },
  {
    name: "with a Secret that its account does not allow",
    pod: podOf({ serviceAccountName: "a", containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "s" } }] }] }),
    account: { metadata: { name: "a", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } } },
    expect:
      'pods "web" is forbidden: container c with envFrom referencing secret.secretName="s" is not allowed because service account a does not reference that secret',
  },
  {
    name: "that mirrors another, with an account",
    pod: podOf({ serviceAccountName: "a", nodeName: "n" }, { "kubernetes.io/config.mirror": "x" }),
    expect: 'pods "web" is forbidden: a mirror pod may not reference service accounts',
  },
  {
    name: "that mirrors another, with a Secret",
    pod: podOf({ nodeName: "n", volumes: [{ name: "v", secret: { secretName: "s" } }] }, { "kubernetes.io/config.mirror": "x" }),
    expect: 'pods "web" is forbidden: a mirror pod may not reference secrets',
  },
];
for (const { name, pod, account, expect } of refusals)
  test(`no Pod ${name}`, async () => {
    await using cluster = await withAccounts();
    if (account !== undefined) await cluster.client.resource(serviceAccounts).create(account);
    await assert.rejects(cluster.client.resource(pods).create(pod), { message: expect, code: 403 });
  });

test("the default account may come a moment later", async () => {
  await using cluster = await withAccounts();
  const creating = cluster.client.resource(pods).create(podOf());
  await cluster.client.resource(serviceAccounts).create({ metadata: { name: "default" } });
  assert.equal((await creating).spec?.serviceAccountName, "default");
});

test("a mirror Pod stays as it is", async () => {
  await using cluster = await withAccounts();
  const { spec } = await cluster.client.resource(pods).create(podOf({ nodeName: "n" }, { "kubernetes.io/config.mirror": "x" }));
  assert.deepEqual([spec?.serviceAccountName, spec?.volumes], [undefined, undefined]);
});
