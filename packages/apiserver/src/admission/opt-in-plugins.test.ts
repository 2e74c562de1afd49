import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import { type KubeObject, ManualClock } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import type { EventRateLimit } from "../contracts/admission-configuration.ts";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { servedResources } from "../storage/served-resource.ts";
import { denyServiceExternalIps } from "./deny-service-external-ips.ts";
import { eventRateLimit } from "./event-rate-limit.ts";
import { namespaceExists } from "./namespace-exists.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import { admitted } from "./plugin-under-test.ts";

const service = (externalIPs?: readonly string[]) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s", namespace: "n" },
  spec: { externalIPs },
});

const addresses = [
  { name: "none", object: service(), allowed: true },
  { name: "a new one", object: service(["1.2.3.4"]), allowed: false },
  { name: "one that was there", object: service(["1.2.3.4"]), previous: service(["1.2.3.4", "1.2.3.5"]), allowed: true },
  { name: "another than was there", object: service(["1.2.3.6"]), previous: service(["1.2.3.4"]), allowed: false },
];
for (const { name, object, previous, allowed } of addresses)
  test(`DenyServiceExternalIPs ${allowed ? "allows" : "refuses"} a Service with ${name}`, async () => {
    const why = 'services "s" is forbidden: Use of external IPs is denied by admission control';
    const outcome = await admitted(denyServiceExternalIps, previous === undefined ? { object } : { object, previous });
    assert.deepEqual(outcome, allowed ? object : why);
  });

test("NamespaceExists refuses writes in a Namespace that is not there", async () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "n" } };
  assert.equal(await admitted(namespaceExists, { object }), 'namespaces "n" not found');
  const stored = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } }];
  assert.deepEqual(await admitted(namespaceExists, { object, stored }), object);
});

const event = (source: string, namespace = "n"): KubeObject =>
  ({ apiVersion: "v1", kind: "Event", metadata: { name: "e", namespace }, source: { component: source } }) as KubeObject;

function limited(limits: readonly EventRateLimit[]) {
  const clock = new ManualClock();
  const plugin = eventRateLimit.create({ clock, configuration: { eventRateLimit: { limits } } });
  const factory: AdmissionPluginFactory<ObjectReader> = { name: eventRateLimit.name, create: () => plugin };
  return { clock, take: async (object: KubeObject) => (await admitted(factory, { object })) as unknown };
}

test("EventRateLimit takes bursts, then so many a second", async () => {
  const { clock, take } = limited([{ type: "Server", qps: 2, burst: 2, cacheSize: 0 }]);
  const why = "Too many requests: limit reached on type Server for key ";
  assert.equal(typeof (await take(event("a"))), "object");
  assert.equal(typeof (await take(event("a"))), "object");
  assert.equal(await take(event("a")), why);
  clock.advance(499);
  assert.equal(await take(event("a")), why);
  clock.advance(1);
  assert.equal(typeof (await take(event("a"))), "object");
  assert.equal(await take(event("a")), why);
  clock.advance(60_000);
  assert.equal(typeof (await take(event("a"))), "object");
  assert.equal(typeof (await take(event("a"))), "object");
  assert.equal(await take(event("a")), why);
});

const keys = [
  { type: "Namespace", same: event("b"), other: event("a", "m"), key: "n" },
  { type: "User", same: event("b", "m"), other: undefined, key: "tester" },
  { type: "SourceAndObject", same: event("a", "m"), other: event("b"), key: "a" },
] as const;
for (const { type, same, other, key } of keys)
  test(`EventRateLimit counts by ${type}`, async () => {
    const { take } = limited([{ type, qps: 1, burst: 1, cacheSize: 0 }]);
    await take(event("a"));
    assert.equal(await take(same), `Too many requests: limit reached on type ${type} for key ${key}`);
    if (other !== undefined) assert.equal(typeof (await take(other)), "object");
  });

test("EventRateLimit names every limit, and forgets the keys that were not seen for the longest", async () => {
  const { take } = limited([
    { type: "Namespace", qps: 1, burst: 1, cacheSize: 1 },
    { type: "User", qps: 1, burst: 2, cacheSize: 0 },
  ]);
  await take(event("a"));
  await take(event("a", "m"));
  assert.equal(await take(event("a")), "Too many requests: limit reached on type User for key tester");
  const both = "[limit reached on type Namespace for key n, limit reached on type User for key tester]";
  assert.equal(await take(event("a")), `Too many requests: ${both}`);
});

test("EventRateLimit leaves other kinds alone", async () => {
  const { take } = limited([{ type: "Server", qps: 1, burst: 1, cacheSize: 0 }]);
  for (let i = 0; i < 3; i++) assert.equal(typeof (await take(service())), "object");
});

const owner = (more: object = {}) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "1", ...more });
const owned = (...ownerReferences: readonly object[]) =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "n", ownerReferences } }) as KubeObject;

const blocking = { blockOwnerDeletion: true };
const cannotDelete = 'configmaps "c" is forbidden: cannot set an ownerRef on a resource you can\'t delete: no, <nil>';
const cannotBlock =
  'configmaps "c" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: no, <nil>';
const ownerships = [
  { name: "a new object with an owner", object: owned(owner()), may: [], outcome: undefined },
  { name: "an owner by who may not delete", object: owned(owner()), previous: owned(), may: [], outcome: cannotDelete },
  { name: "an owner by who may delete", object: owned(owner()), previous: owned(), may: ["delete configmaps n/c"], outcome: undefined },
  { name: "an owner that was there", object: owned(owner(blocking)), previous: owned(owner(blocking)), may: [], outcome: undefined },
  { name: "a kept owner by who may not", object: owned(owner(blocking)), may: [], outcome: cannotBlock },
  { name: "a kept owner by who may", object: owned(owner(blocking)), may: ["update replicasets/finalizers n/r"], outcome: undefined },
  { name: "a kept owner by who may with all", object: owned(owner(blocking)), may: ["update */finalizers /*"], outcome: undefined },
  {
    name: "an owner that is kept from now on",
    object: owned(owner(blocking)),
    previous: owned(owner()),
    may: ["delete configmaps n/c"],
    outcome: cannotBlock,
  },
  {
    name: "another kept owner",
    object: owned(owner(blocking), owner({ kind: "Node", apiVersion: "v1", ...blocking, uid: "2" })),
    may: ["update replicasets/finalizers n/r"],
    outcome: cannotBlock,
  },
  {
    name: "a kept owner in no namespace",
    object: owned(owner({ kind: "Node", apiVersion: "v1", ...blocking })),
    may: ["update nodes/finalizers /r"],
    outcome: undefined,
  },
  {
    name: "a kept owner of an unknown kind",
    object: owned(owner({ kind: "No", apiVersion: "x/v1", ...blocking })),
    may: [],
    outcome:
      'configmaps "c" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion x/v1 Kind No: no matches for kind "No" in version "x/v1"',
  },
];
for (const { name, object, previous, may, outcome } of ownerships)
  test(`OwnerReferencesPermissionEnforcement ${outcome === undefined ? "allows" : "refuses"} ${name}`, async () => {
    const authorize = (attributes: AuthorizationAttributes) => {
      assert.equal(attributes.kind, "resource");
      const { verb, resource, subresource, namespace, name: at } = attributes as Extract<AuthorizationAttributes, { kind: "resource" }>;
      const asked = `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`} ${namespace}/${at}`;
      return may.some((one) => one === asked) ? ({ kind: "allow", reason: "" } as const) : ({ kind: "noOpinion", reason: "no" } as const);
    };
    const served = servedResources(createResourceRegistry());
    const plugin: AdmissionPluginFactory<ObjectReader> = {
      name: ownerReferencesPermissionEnforcement.name,
      create: () => ownerReferencesPermissionEnforcement.create({ authorize, served }),
    };
    const answer = await admitted(plugin, previous === undefined ? { object } : { object, previous });
    assert.deepEqual(answer, outcome ?? object);
  });
