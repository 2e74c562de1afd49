/** A Pod gets the overhead of its RuntimeClass, and goes where that can be run. @see https://kubernetes.io/docs/concepts/containers/runtime-class/ */
import { deepEqual, type KubeObject, parseQuantity } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { refused } from "./refused.ts";

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

type Overhead = Readonly<Record<string, string>>;

interface ClassedPod extends KubeObject {
  spec?: {
    readonly runtimeClassName?: string;
    overhead?: Overhead;
    nodeSelector?: Record<string, string>;
    tolerations?: readonly Toleration[];
  };
}

interface RuntimeClass extends KubeObject {
  readonly overhead?: { readonly podFixed?: Overhead };
  readonly scheduling?: { readonly nodeSelector?: Readonly<Record<string, string>>; readonly tolerations?: readonly Toleration[] };
}

const runtimeClasses = { group: "node.k8s.io", version: "v1", resource: "runtimeclasses" };

export const runtimeClass: AdmissionPluginFactory<ObjectReader> = {
  name: "RuntimeClass",
  create: (reader) => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "create" && subresource === "" && resource.definition.kind === "Pod" && resource.definition.group === "",
    async mutate(request) {
      const { spec } = request.object as ClassedPod;
      const found = await classOf(reader, request);
      if (spec === undefined || found === undefined) return;
      if (found.overhead !== undefined) {
        if (Object.keys(spec.overhead ?? {}).length > 0) checkOverhead(request, found.overhead.podFixed);
        if (Object.keys(found.overhead.podFixed ?? {}).length > 0) spec.overhead = { ...found.overhead.podFixed };
      }
      const { nodeSelector, tolerations } = found.scheduling ?? {};
      for (const [key, value] of Object.entries(nodeSelector ?? {})) {
        const own = spec.nodeSelector?.[key] ?? value;
        if (own !== value)
          throw refused(
            request,
            `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
          );
        spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
      }
      if (found.scheduling !== undefined) spec.tolerations = mergeTolerations([...(spec.tolerations ?? []), ...(tolerations ?? [])]);
    },
    async validate(request) {
      const { spec } = request.object as ClassedPod;
      const { overhead } = (await classOf(reader, request)) ?? {};
      if (overhead !== undefined) checkOverhead(request, overhead.podFixed);
      else if (spec?.overhead !== undefined)
        throw refused(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    },
  }),
};

/** Undefined: the Pod names none. */
async function classOf(reader: ObjectReader, request: AdmissionRequest): Promise<RuntimeClass | undefined> {
  const name = (request.object as ClassedPod).spec?.runtimeClassName;
  if (name === undefined) return undefined;
  const found = await readObject<RuntimeClass>(reader, runtimeClasses, "", name);
  if (found === undefined) throw refused(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found;
}

function checkOverhead(request: AdmissionRequest, wanted: Overhead = {}): void {
  const own = (request.object as ClassedPod).spec?.overhead ?? {};
  const isSame =
    Object.keys(own).length === Object.keys(wanted).length && Object.keys(own).every((name) => isSameAmount(own[name], wanted[name]));
  if (!isSame) throw refused(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function isSameAmount(a: string | undefined, b: string | undefined): boolean {
  const [one, other] = [parseQuantity(a ?? ""), parseQuantity(b ?? "")];
  return one !== undefined && other !== undefined && one.compare(other) === 0;
}

/** Without those that others make superfluous: of equal ones the first stays. */
function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [i, one] of all.entries()) {
    const isKnown = merged.some((other) => includes(other, one));
    const comes = all.slice(i + 1).some((other) => !deepEqual(one, other) && includes(other, one));
    if (!isKnown && !comes) merged.push(one);
  }
  return merged;
}

/** Whether `wide` tolerates all that `narrow` does. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = wide;
  if ((narrow.key ?? "") !== key && (key !== "" || operator !== "Exists")) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  const isBounded = effect === "NoExecute" && tolerationSeconds !== undefined;
  if (isBounded && (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > tolerationSeconds)) return false;
  if (operator === "Exists") return true;
  return (operator === "Equal" || operator === "") && narrow.operator === "Equal" && (narrow.value ?? "") === value;
}
