/**
 * A Pod's priority is the number behind its PriorityClass, and at most one class is for Pods that name none.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
import type { coreV1, schedulingV1 } from "@coxswain/api";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { listObjects, type ObjectReader, readObject } from "../storage/object-reader.ts";
import { refused } from "./refused.ts";

type PriorityClass = schedulingV1.PriorityClass;

const priorityClasses = { group: "scheduling.k8s.io", version: "v1", resource: "priorityclasses" };

export const priority: AdmissionPluginFactory<ObjectReader> = {
  name: "Priority",
  create: (reader) => ({
    handles: ({ operation, resource: { definition }, subresource }) =>
      operation !== "delete" &&
      subresource === "" &&
      ((definition.kind === "Pod" && definition.group === "") ||
        (definition.kind === "PriorityClass" && definition.group === priorityClasses.group)),
    mutate(request) {
      if (request.resource.definition.kind !== "Pod") return;
      if (request.operation === "update") return keepPriority(request.object as coreV1.Pod, request.previous as coreV1.Pod);
      return resolvePriority(reader, request);
    },
    async validate(request) {
      if (request.resource.definition.kind !== "PriorityClass") return;
      const { object, previous } = request;
      if ((object as PriorityClass).globalDefault !== true) return;
      const name = (await globalDefault(reader))?.metadata?.name;
      if (name === undefined || (previous !== undefined && name === object?.metadata?.name)) return;
      throw refused(request, `PriorityClass ${name} is already marked as default. Only one default can exist`);
    },
  }),
};

/** An update that leaves out what was worked out when the Pod was made does not take it away. */
function keepPriority({ spec }: coreV1.Pod, { spec: before }: Readonly<coreV1.Pod>): void {
  if (spec === undefined) return;
  if (before?.priority !== undefined) spec.priority ??= before.priority;
  if (before?.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy;
}

async function resolvePriority(reader: ObjectReader, request: AdmissionRequest): Promise<void> {
  const { spec } = request.object as coreV1.Pod;
  if (spec === undefined) return;
  const { metadata, value = 0, preemptionPolicy } = await classOf(reader, request, spec.priorityClassName ?? "");
  const why = "must not be provided in pod spec; priority admission controller computed";
  if (spec.priority !== undefined && spec.priority !== value)
    throw refused(request, `the integer value of priority (${spec.priority}) ${why} ${value} from the given PriorityClass name`);
  if (metadata?.name !== undefined) spec.priorityClassName = metadata.name;
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  const asked = spec.preemptionPolicy ?? preemptionPolicy;
  if (asked !== preemptionPolicy)
    throw refused(request, `the string value of PreemptionPolicy (${asked}) ${why} ${preemptionPolicy} from the given PriorityClass name`);
  spec.preemptionPolicy = preemptionPolicy;
}

/** What a Pod is given that names no class where none is the default. */
const none: PriorityClass = { value: 0, preemptionPolicy: "PreemptLowerPriority" };

async function classOf(reader: ObjectReader, request: AdmissionRequest, name: string): Promise<Readonly<PriorityClass>> {
  if (name === "") return (await globalDefault(reader)) ?? none;
  const found = await readObject<PriorityClass>(reader, priorityClasses, "", name);
  if (found === undefined) throw refused(request, `no PriorityClass with name ${name} was found`);
  return found;
}

/** Should there be several after all, the lowest. */
async function globalDefault(reader: ObjectReader): Promise<Readonly<PriorityClass> | undefined> {
  const all = await listObjects<PriorityClass>(reader, priorityClasses);
  const [first, ...others] = all.filter((one) => one.globalDefault === true);
  return others.reduce((lowest, one) => ((one.value ?? 0) < (lowest?.value ?? 0) ? one : lowest), first);
}
