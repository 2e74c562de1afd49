/**
 * Pods get what the LimitRanges of their namespace give by default, and neither they nor claims of volumes leave the bounds.
 * @see https://kubernetes.io/docs/concepts/policy/limit-range/
 */
import type { coreV1 } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import { aggregate } from "../authorization/rbac/rbac-authorizer.ts";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { listObjects, type ObjectReader } from "../storage/object-reader.ts";
import { brokenBounds } from "./limit-range-bounds.ts";
import { refused } from "./refused.ts";

type LimitRange = coreV1.LimitRange & KubeObject;

const limitRanges = { group: "", version: "v1", resource: "limitranges" };

export const limitRanger: AdmissionPluginFactory<ObjectReader> = {
  name: "LimitRanger",
  create: (reader) => {
    const rangesOf = (request: AdmissionRequest): Promise<readonly LimitRange[]> =>
      listObjects<LimitRange>(reader, limitRanges, request.namespace);
    return {
      handles,
      async mutate(request) {
        if (request.resource.definition.kind !== "Pod") return;
        for (const { spec } of await rangesOf(request)) setDefaults(request.object as coreV1.Pod & KubeObject, spec?.limits ?? []);
      },
      async validate(request) {
        for (const { spec } of await rangesOf(request)) {
          const broken = brokenBounds(request.object as KubeObject, request.resource.definition.kind, spec?.limits ?? []);
          if (broken.length > 0) throw refused(request, aggregate(broken));
        }
      },
    };
  },
};

/** What a Pod's containers ask for changes with the subresource `resize` alone. */
function handles({ operation, resource: { definition }, subresource, previous }: AdmissionRequest): boolean {
  if (definition.group !== "" || operation === "delete" || previous?.metadata?.deletionTimestamp !== undefined) return false;
  if (definition.kind === "Pod") return operation === "create" ? subresource === "" : subresource === "resize";
  return definition.kind === "PersistentVolumeClaim" && subresource === "";
}

/** Sets what containers leave open, and says in an annotation what it has set. */
function setDefaults(pod: coreV1.Pod & KubeObject, limits: readonly coreV1.LimitRangeItem[]): void {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const usual = { requests: merged(ofContainers, "defaultRequest"), limits: merged(ofContainers, "default") };
  const set = [
    ...(pod.spec?.containers ?? []).flatMap((container) => setOnContainer(container, usual, "container")),
    ...(pod.spec?.initContainers ?? []).flatMap((container) => setOnContainer(container, usual, "init container")),
  ];
  if (set.length === 0) return;
  pod.metadata ??= {};
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${set.join("; ")}`,
  };
}

type Amounts = Readonly<Record<string, string>>;

const merged = (limits: readonly coreV1.LimitRangeItem[], field: "default" | "defaultRequest"): Amounts =>
  Object.assign({}, ...limits.map((limit) => limit[field] ?? {}));

function setOnContainer(
  container: coreV1.Container,
  usual: { readonly requests: Amounts; readonly limits: Amounts },
  what: "container" | "init container",
): string[] {
  const said: string[] = [];
  for (const [field, word] of [
    ["requests", "request"],
    ["limits", "limit"],
  ] as const) {
    const missing = Object.entries(usual[field]).filter(([name]) => container.resources?.[field]?.[name] === undefined);
    if (missing.length === 0) continue;
    container.resources = { ...container.resources, [field]: { ...container.resources?.[field], ...Object.fromEntries(missing) } };
    said.push(
      `${missing
        .map(([name]) => name)
        .sort()
        .join(", ")} ${word} for ${what} ${container.name}`,
    );
  }
  return said;
}
