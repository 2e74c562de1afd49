import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: { holderIdentity: "a" } };
const merge = "application/merge-patch+json";
const other = "11111111-2222-3333-4444-555555555555";

interface Case {
  readonly name: string;
  /** The request that is looked at, after whatever it needs. */
  readonly write: (api: Api) => Promise<{ status: number; body: Json }>;
  readonly status: number;
  readonly message?: string | RegExp;
}

const madeLease = async (api: Api) => (await api.send("POST", leases, { body: lease })).body;
const madeMap = async (api: Api) => (await api.send("POST", maps, { body: { metadata: { name: "x" } } })).body;

const deployments = "/apis/apps/v1/namespaces/default/deployments";
async function madeDeployment(api: Api): Promise<void> {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  await api.send("POST", deployments, { body: { metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } } });
}

const cases: readonly Case[] = [
  {
    name: "a Scale's uid in a PATCH is a precondition on the scale",
    write: async (api) => {
      await madeDeployment(api);
      return api.send("PATCH", `${deployments}/web/scale`, { type: merge, body: { metadata: { uid: other } } });
    },
    status: 409,
    message: new RegExp(
      `^Operation cannot be fulfilled on deployments/scale\\.apps "web": Precondition failed: UID in precondition: ${other}, `,
    ),
  },
  {
    name: "a Scale's uid in a PUT is a precondition on what it scales",
    write: async (api) => {
      await madeDeployment(api);
      return api.send("PUT", `${deployments}/web/scale`, { body: { metadata: { name: "web", uid: other }, spec: { replicas: 2 } } });
    },
    status: 409,
    message: /^Operation cannot be fulfilled on deployments\.apps "web": StorageError: /,
  },
  {
    name: "an integer is written as one",
    write: (api) => api.send("POST", leases, { body: { metadata: { name: "l" }, spec: { leaseTransitions: JSON.rawJSON("1.0") } } }),
    status: 400,
    message:
      'Lease in version "v1" cannot be handled as a Lease: json: cannot unmarshal number 1.0 into Go struct field LeaseSpec.spec.leaseTransitions of type int32',
  },
  {
    name: "an integer in the options of a deletion too",
    write: (api) => api.send("DELETE", `${leases}/l`, { body: { gracePeriodSeconds: JSON.rawJSON("1e1") } }),
    status: 400,
    message: "json: cannot unmarshal number 1e1 into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
  },
  {
    name: "a Scale that is both wrong and out of date is wrong",
    write: async (api) => {
      await madeDeployment(api);
      const body = { metadata: { name: "web", resourceVersion: "1" }, spec: { replicas: -1 } };
      return api.send("PUT", `${deployments}/web/scale`, { body });
    },
    status: 422,
    message: 'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  },
  {
    name: "a missing resourceVersion is reported for a kind that requires one",
    write: async (api) => {
      await madeLease(api);
      return api.send("PUT", `${leases}/l`, { body: lease });
    },
    status: 422,
    message: 'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  },
  {
    name: "a PUT that creates does not mind a version",
    write: (api) => api.send("PUT", `${leases}/l`, { body: { ...lease, metadata: { name: "l", resourceVersion: "7" } } }),
    status: 201,
  },
  {
    name: "a PUT with a uid does not create",
    write: (api) => api.send("PUT", `${leases}/l`, { body: { ...lease, metadata: { name: "l", uid: other } } }),
    status: 409,
    message: `Operation cannot be fulfilled on leases.coordination.k8s.io "l": StorageError: invalid object, Code: 4, Key: /registry/leases/default/l, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${other}, UID in object meta: `,
  },
  {
    name: "a PUT with a uid of an absent name that a PUT cannot create is not found",
    write: (api) => api.send("PUT", `${maps}/x`, { body: { metadata: { name: "x", uid: other } } }),
    status: 404,
    message: 'configmaps "x" not found',
  },
  {
    name: "a PATCH may not change the uid",
    write: async (api) => {
      await madeMap(api);
      return api.send("PATCH", `${maps}/x`, { type: merge, body: { metadata: { uid: other } } });
    },
    status: 422,
    message: `ConfigMap "x" is invalid: metadata.uid: Invalid value: "${other}": field is immutable`,
  },
  {
    name: "an update with a deletionTimestamp is refused: the field is immutable",
    write: async (api) => {
      await madeMap(api);
      return api.send("PUT", `${maps}/x`, { body: { metadata: { name: "x", deletionTimestamp: "2030-01-01T00:00:00Z" } } });
    },
    status: 422,
    message: 'ConfigMap "x" is invalid: metadata.deletionTimestamp: Invalid value: "2030-01-01T00:00:00Z": field is immutable',
  },
  {
    name: "a dry run reports that the name exists",
    write: async (api) => {
      await madeMap(api);
      return api.send("POST", `${maps}?dryRun=All`, { body: { metadata: { name: "x" } } });
    },
    status: 409,
    message: 'configmaps "x" already exists',
  },
  {
    name: "a field manager is printable",
    write: (api) => api.send("POST", `${maps}?fieldManager=a%C3%A9%09`, { body: { metadata: { name: "x" } } }),
    status: 422,
    message: 'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "aé\\t": invalid character U+0009 (at position 3)',
  },
  {
    name: "a POST with a version is refused",
    write: (api) => api.send("POST", maps, { body: { metadata: { name: "x", resourceVersion: "5" } } }),
    status: 500,
    message: "resourceVersion should not be set on objects to be created",
  },
  {
    name: "a POST with version zero is like one without",
    write: (api) => api.send("POST", maps, { body: { metadata: { name: "x", resourceVersion: "0" } } }),
    status: 201,
  },
  {
    name: "an invalid object is reported before its resourceVersion",
    write: (api) => api.send("POST", maps, { body: { metadata: { name: "X", resourceVersion: "5" } } }),
    status: 422,
  },
];
for (const { name, write, status, message } of cases) {
  test(name, async () => {
    const answer = await write(await startApi());
    assert.equal(answer.status, status);
    if (typeof message === "string") assert.equal(answer.body.message, message);
    else if (message !== undefined) assert.match(answer.body.message, message);
  });
}
