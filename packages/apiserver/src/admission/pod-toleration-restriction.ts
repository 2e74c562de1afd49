/**
 * Pods get the tolerations of their Namespace, and no others than it allows.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtolerationrestriction
 */
import { type coreV1, qosClass } from "@coxswain/api";
import { DecodeError, deepEqual, goJsonTypeOf, type KubeObject, parseJson, unexplained } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import type { AdmissionPluginConfigurations } from "../contracts/admission-configuration.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { namespaceOf } from "./namespace-of-request.ts";
import { isPodWrite } from "./pod-writes.ts";

export interface TolerationServices extends ObjectReader {
  readonly configuration?: AdmissionPluginConfigurations;
}

type Toleration = coreV1.Toleration;

const defaults = "scheduler.alpha.kubernetes.io/defaultTolerations";
const whitelist = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const memoryPressure: Toleration = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };

export const podTolerationRestriction: AdmissionPluginFactory<TolerationServices> = {
  name: "PodTolerationRestriction",
  offByDefault: true,
  create: ({ configuration, ...reader }) => {
    const ofCluster = configuration?.podTolerationRestriction;
    const confirmAllowed = async (object: KubeObject | undefined, name: string): Promise<void> => {
      const tolerations = (object as coreV1.Pod).spec?.tolerations ?? [];
      if (tolerations.length === 0) return;
      const ofNamespace = tolerationsIn(await namespaceOf(reader, name), whitelist);
      const allowed = ofNamespace ?? ofCluster?.whitelist ?? [];
      if (allowed.length === 0 || tolerations.every((one) => allowed.some((other) => isSuperset(other, one)))) return;
      const scope = ofNamespace === undefined ? "cluster" : "namespace";
      throw unexplained(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`);
    };
    return {
      handles: isPodWrite,
      async mutate({ object, operation, namespace }) {
        const { spec } = object as coreV1.Pod;
        if (spec === undefined) return;
        const extra =
          operation === "create" ? (tolerationsIn(await namespaceOf(reader, namespace), defaults) ?? ofCluster?.default ?? []) : [];
        const added = qosClass(spec) === "BestEffort" ? extra : [...extra, memoryPressure];
        if (added.length > 0) spec.tolerations = merge([...(spec.tolerations ?? []), ...added]);
        await confirmAllowed(object, namespace);
      },
      validate: ({ object, namespace }) => confirmAllowed(object, namespace),
    };
  },
};

/** Undefined where the annotation is missing. @throws a failure without a reason, as there */
function tolerationsIn({ metadata }: Readonly<KubeObject>, annotation: string): readonly Toleration[] | undefined {
  const text = metadata?.annotations?.[annotation];
  if (text === undefined || text === "") return text === undefined ? undefined : [];
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof DecodeError) throw unexplained(error.message);
    throw error;
  }
  if (value === null) return [];
  if (!Array.isArray(value)) throw unexplained(`json: cannot unmarshal ${goJsonTypeOf(value)} into Go value of type []v1.Toleration`);
  return value as Toleration[];
}

/** Each that no other includes, and the first of equal ones. */
function merge(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [i, one] of all.entries()) {
    if (merged.some((other) => isSuperset(other, one))) continue;
    if (all.slice(i + 1).some((other) => !deepEqual(one, other) && isSuperset(other, one))) continue;
    merged.push(one);
  }
  return merged;
}

/** Whether one tolerates all that another does. */
function isSuperset(wider: Toleration, { key = "", operator = "", value = "", effect = "", tolerationSeconds }: Toleration): boolean {
  if (deepEqual(whole(wider), { key, operator, value, effect, tolerationSeconds })) return true;
  const isExists = wider.operator === "Exists";
  if (key !== (wider.key ?? "") && ((wider.key ?? "") !== "" || !isExists)) return false;
  if (effect !== (wider.effect ?? "") && (wider.effect ?? "") !== "") return false;
  if (wider.effect === "NoExecute" && wider.tolerationSeconds !== undefined)
    if (tolerationSeconds === undefined || tolerationSeconds > wider.tolerationSeconds) return false;
  if (isExists) return true;
  return ["", "Equal"].includes(wider.operator ?? "") && operator === "Equal" && value === (wider.value ?? "");
}

/** An empty field and a missing one say the same. */
const whole = ({ key = "", operator = "", value = "", effect = "", tolerationSeconds }: Toleration): object => ({
  key,
  operator,
  value,
  effect,
  tolerationSeconds,
});
