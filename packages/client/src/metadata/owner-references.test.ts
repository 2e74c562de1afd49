import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, OwnerReference } from "@coxswain/machinery";
import {
  AlreadyOwnedError,
  controllerOf,
  isControlledBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-references.ts";

const web: KubeObject = { apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "default", name: "web", uid: "u1" } };
const pod = (...ownerReferences: OwnerReference[]): KubeObject => ({ metadata: { namespace: "default", name: "web-1", ownerReferences } });
const byWeb = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "u1", controller: true, blockOwnerDeletion: true };
const byOther = { ...byWeb, name: "other", uid: "u2" };
const ofNode = { apiVersion: "v1", kind: "Node", name: "n", uid: "u3" };

const cases: readonly { name: string; before: OwnerReference[]; after: OwnerReference[] }[] = [
  { name: "adds the controller after the other owners", before: [ofNode], after: [ofNode, byWeb] },
  { name: "changes nothing when it is there", before: [byWeb, ofNode], after: [byWeb, ofNode] },
  { name: "makes an owner the controller", before: [{ ...byWeb, controller: false }], after: [byWeb] },
  { name: "replaces an owner that was made again under its name", before: [{ ...byWeb, uid: "u0" }], after: [byWeb] },
  { name: "replaces the reference to another version of the kind", before: [{ ...byWeb, apiVersion: "apps/v1beta1" }], after: [byWeb] },
];
for (const { name, before, after } of cases)
  test(name, () => {
    const given = pod(...before);
    const copy = structuredClone(given);
    const owned = setControllerReference(given, web);
    assert.deepEqual(owned.metadata?.ownerReferences, after);
    assert.deepEqual(given, copy);
    assert.ok(isControlledBy(owned, web));
    assert.equal(controllerOf(owned)?.name, "web");
  });

test("refuses an object that another controller manages", () => {
  assert.throws(
    () => setControllerReference(pod(byOther), web),
    (error: unknown) => {
      assert.ok(error instanceof AlreadyOwnedError);
      assert.equal(error.message, "Object default/web-1 is already owned by another Deployment controller other");
      return error.owner === byOther || error.owner.uid === "u2";
    },
  );
});

const refused: readonly { name: string; object: KubeObject; owner: KubeObject; message: RegExp }[] = [
  {
    name: "refuses an owner in another namespace",
    object: { metadata: { namespace: "a", name: "x" } },
    owner: web,
    message: /^cross-namespace owner references are disallowed, owner's namespace default, obj's namespace a$/,
  },
  {
    name: "refuses an owner in a namespace for what is in none",
    object: { metadata: { name: "x" } },
    owner: web,
    message: /^cluster-scoped resource must not have a namespace-scoped owner, owner's namespace default$/,
  },
  {
    name: "refuses an owner without a uid",
    object: pod(),
    owner: { ...web, metadata: { namespace: "default", name: "web" } },
    message: /needs/,
  },
  { name: "refuses an owner without a kind", object: pod(), owner: { metadata: web.metadata ?? {} }, message: /needs/ },
];
for (const { name, object, owner, message } of refused)
  test(name, () => {
    for (const set of [setControllerReference, setOwnerReference]) assert.throws(() => set(object, owner), { name: "TypeError", message });
  });

test("takes the kind of an owner that came from a list", () => {
  const kind = { group: "apps", version: "v1", kind: "Deployment" };
  assert.deepEqual(setControllerReference(pod(), { metadata: web.metadata ?? {} }, { kind }).metadata?.ownerReferences, [byWeb]);
});

test("adds an owner that is no controller, and takes it away", () => {
  const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u3" } };
  const owned = setOwnerReference(pod(byWeb), node);
  assert.deepEqual(owned.metadata?.ownerReferences, [byWeb, ofNode]);
  assert.deepEqual(removeOwnerReference(owned, node).metadata?.ownerReferences, [byWeb]);
  const without = pod(byWeb);
  assert.equal(removeOwnerReference(without, node), without);
});
