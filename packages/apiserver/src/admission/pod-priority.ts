/** A Pod's priority is the number behind its PriorityClass. @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ */
import type { KubeObject } from "@coxswain/machinery";
import type { ServerContext } from "../context.ts";
import { prefixOf } from "../registry/served-resource.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { refused } from "./refused.ts";

interface PodWithPriority extends KubeObject {
  spec: { priorityClassName?: string; priority?: number; preemptionPolicy?: string };
}

interface PriorityClass extends KubeObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

export const podPriority: AdmissionPlugin = {
  name: "Priority",
  handles: ({ operation, resource, subresource }) =>
    operation === "create" && subresource === "" && resource.definition.kind === "Pod" && resource.definition.group === "",
  async mutate(request) {
    const { server, object } = request;
    const { spec } = object as PodWithPriority;
    if (spec === undefined) return;
    const found = await classOf(server, spec.priorityClassName ?? "");
    if (found === undefined) throw refused(request, `no PriorityClass with name ${spec.priorityClassName} was found`);
    const value = found.value ?? 0;
    if (spec.priority !== undefined && spec.priority !== value) {
      const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
      throw refused(request, why);
    }
    if (found.metadata?.name !== undefined) spec.priorityClassName = found.metadata.name;
    spec.priority = value;
    spec.preemptionPolicy ??= found.preemptionPolicy ?? "PreemptLowerPriority";
  },
};

async function classOf(server: ServerContext, name: string): Promise<PriorityClass | undefined> {
  const resource = server.served.find("scheduling.k8s.io", "v1", "priorityclasses");
  if (resource === undefined) return {};
  if (name !== "") {
    const { entry } = await server.store.get(`${resource.prefix}${name}`);
    return entry === undefined ? undefined : (server.cache.objectOf(entry) as PriorityClass);
  }
  const { entries } = await server.store.list(prefixOf(resource, ""));
  const defaults = entries.map((entry) => server.cache.objectOf(entry) as PriorityClass).filter((one) => one.globalDefault === true);
  return defaults.sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0] ?? {};
}
