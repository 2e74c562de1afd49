/** For tests: a kind that has every kind of merging, and writes to it. */
import type { KubeObject, StructType } from "@coxswain/machinery";
import { compileTypes } from "@coxswain/machinery";
import { encodeManagedFields, type ManagedFields, unmanaged } from "../managed-fields/managed-fields.ts";
import { type ApplyBy, applyObject } from "./apply.ts";
import { updateManagedFields, type WriteBy } from "./update.ts";

const types = compileTypes({
  test: {
    "test.v1.Thing": {
      fields: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "test.v1.ObjectMeta" },
        data: { type: "{string}" },
        spec: { type: "test.v1.Spec" },
        status: { type: "test.v1.Status" },
      },
    },
    "test.v1.ObjectMeta": {
      fields: {
        name: { type: "string" },
        namespace: { type: "string" },
        uid: { type: "string" },
        resourceVersion: { type: "string" },
        labels: { type: "{string}" },
        annotations: { type: "{string}" },
        finalizers: { type: "[string]", listType: "set" },
        managedFields: { type: "[{string}]", listType: "atomic" },
      },
    },
    "test.v1.Spec": {
      fields: {
        replicas: { type: "integer:int32" },
        paused: { type: "boolean" },
        selector: { type: "test.v1.Selector" },
        args: { type: "[string]", listType: "atomic" },
        containers: { type: "[test.v1.Container]", listType: "map", listMapKeys: ["name"] },
        anything: { type: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON" },
        raw: { type: "io.k8s.apimachinery.pkg.runtime.RawExtension" },
      },
    },
    "test.v1.Selector": { mapType: "atomic", fields: { matchLabels: { type: "{string}" } } },
    "test.v1.Container": {
      fields: {
        name: { type: "string" },
        image: { type: "string" },
        ports: { type: "[test.v1.Port]", listType: "map", listMapKeys: ["port", "protocol"] },
      },
    },
    "test.v1.Port": {
      fields: { port: { type: "integer:int32" }, protocol: { type: "string", default: "TCP" }, label: { type: "string" } },
    },
    "test.v1.Status": { fields: { ready: { type: "integer:int32" } } },
  },
});

export const thingType = types.get("test.v1.Thing") as StructType;
export const specType = types.get("test.v1.Spec") as StructType;

const head = { apiVersion: "v1", kind: "Thing" };

export const thing = (parts: Readonly<Record<string, unknown>>): KubeObject => ({ ...head, metadata: { name: "t" }, ...parts });

/** An object with its managed fields, and what happens to it. Each write has its own second. */
export class Story {
  object: Readonly<KubeObject> = head;
  managed: ManagedFields = unmanaged;
  #seconds = 0;

  update(manager: string, parts: Readonly<Record<string, unknown>>, more: Partial<WriteBy> = {}): this {
    const next = thing(parts);
    next.metadata = { ...next.metadata, uid: "1" };
    this.managed = updateManagedFields(this.object, next, this.managed, { ...this.#by(manager), ...more });
    const { managedFields: _, ...metadata } = next.metadata;
    this.object = { ...next, metadata };
    return this;
  }

  apply(manager: string, parts: Readonly<Record<string, unknown>>, more: Partial<ApplyBy> = {}): this {
    const by = { ...this.#by(manager), force: false, empty: head, ...more };
    const { object, managed } = applyObject(this.object, thing(parts), this.managed, by);
    this.object = { ...object, metadata: { ...object.metadata, uid: "1" } };
    this.managed = managed;
    return this;
  }

  #by(manager: string): WriteBy {
    const now = new Date(Date.UTC(2026, 0, 1, 0, 0, this.#seconds++)).toISOString().replace(".000", "");
    return { type: thingType, apiVersion: "v1", manager, now };
  }

  /** Who owns what: `manager Operation subresource@second` with the set as FieldsV1. */
  get owners(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      encodeManagedFields(this.managed).map(({ manager, operation, subresource, time, fieldsV1 }) => [
        [manager, operation, subresource].filter(Boolean).join(" ") + (time === undefined ? "" : `@${Number(time.slice(17, 19))}`),
        fieldsV1,
      ]),
    );
  }
}
