/** For tests: a part of Pod that has every kind of merging, as its published schema describes it. */
import { compileTypes } from "../types/compile.ts";
import type { StructType } from "../types/type.ts";

const byName = { patchStrategy: "merge", patchMergeKey: "name" };
const types = compileTypes({
  "test-v1": {
    "test.v1.Pod": { fields: { metadata: { type: "test.v1.ObjectMeta" }, spec: { type: "test.v1.PodSpec" } } },
    "test.v1.ObjectMeta": {
      fields: { labels: { type: "{string}" }, finalizers: { type: "[string]", patchStrategy: "merge" } },
    },
    "test.v1.PodSpec": {
      fields: {
        containers: { type: "[test.v1.Container]", ...byName },
        nodeName: { type: "string" },
        nodeSelector: { type: "{string}" },
        securityContext: { type: "test.v1.SecurityContext" },
        selector: { type: "test.v1.SecurityContext", patchStrategy: "replace" },
        tolerations: { type: "[test.v1.Toleration]" },
        volumes: { type: "[test.v1.Volume]", patchStrategy: "merge,retainKeys", patchMergeKey: "name" },
      },
    },
    "test.v1.Container": {
      fields: {
        name: { type: "string" },
        image: { type: "string" },
        args: { type: "[string]" },
        env: { type: "[test.v1.EnvVar]", ...byName },
      },
    },
    "test.v1.EnvVar": { fields: { name: { type: "string" }, value: { type: "string" } } },
    "test.v1.SecurityContext": { fields: { runAsUser: { type: "integer:int64", go: "pointer" } } },
    "test.v1.Toleration": { fields: { key: { type: "string" } } },
    "test.v1.Volume": { fields: { name: { type: "string" } } },
  },
});

export const podType = types.get("test.v1.Pod") as StructType;

export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
