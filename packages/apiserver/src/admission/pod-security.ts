/**
 * Pods keep to the level of security that the labels of their namespace name: what violates it is refused, or told to the client.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
import { type coreV1, podSecurity } from "@coxswain/api";
import { deepEqual, invalid, type KubeObject } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import { listObjects, type ObjectReader, readObject } from "../storage/object-reader.ts";
import { checkedPodOf, hasPodSpec, isSignificantUpdate } from "./checked-pod.ts";
import { violationsIn } from "./pod-security-of-namespace.ts";
import { refused } from "./refused.ts";

type Namespace = coreV1.Namespace & KubeObject;

const namespaces = { group: "", version: "v1", resource: "namespaces" };
const pods = { group: "", version: "v1", resource: "pods" };
/** Of Pods: what does not change what is checked. */
const ignoredSubresources = new Set(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"]);

export const podSecurityAdmission: AdmissionPluginFactory<ObjectReader> = {
  name: "PodSecurity",
  create: (reader) => ({
    handles({ operation, resource: { definition }, subresource }) {
      if (operation === "delete") return false;
      if (definition.group === "" && definition.kind === "Pod") return !ignoredSubresources.has(subresource);
      return subresource === "" && (isNamespace(definition) || hasPodSpec(definition));
    },
    async validate(request) {
      if (isNamespace(request.resource.definition)) return await validateNamespace(reader, request);
      await validatePodSpec(reader, request);
    },
  }),
};

const isNamespace = ({ group, kind }: AdmissionRequest["resource"]["definition"]): boolean => group === "" && kind === "Namespace";

/** Labels that cannot be read are refused; Pods that a new level would refuse are told. @throws invalid() */
async function validateNamespace(reader: ObjectReader, { object, previous, name, warnings, operation }: AdmissionRequest): Promise<void> {
  const { policy, errors } = podSecurity.policyOf((object as Namespace).metadata?.labels);
  const before = previous === undefined ? undefined : podSecurity.policyOf(previous.metadata?.labels);
  const own = object?.metadata?.name ?? name;
  if (errors.length > 0 && !deepEqual(errors, before?.errors)) throw invalid({ group: "", kind: "Namespace" }, own, errors);
  if (operation === "create" || before === undefined) return;
  const { enforce } = policy;
  const { enforce: was } = before.policy;
  if (deepEqual(enforce, was) || enforce.level === "privileged") return;
  if (enforce.version === was.version && podSecurity.compareLevels(enforce.level, was.level) < 1) return;
  warnings.push(...violationsIn(own, enforce, await listObjects<coreV1.Pod & KubeObject>(reader, pods, own)));
}

/** @throws forbidden() for a Pod; what makes Pods only gets a warning */
async function validatePodSpec(reader: ObjectReader, request: AdmissionRequest): Promise<void> {
  const isPod = request.resource.definition.kind === "Pod";
  const { metadata } = (await readObject<Namespace>(reader, namespaces, "", request.namespace)) ?? {};
  const { policy } = podSecurity.policyOf(metadata?.labels);
  if (podSecurity.isFullyPrivileged(policy)) return;
  const pod = checkedPodOf(request.object as KubeObject, request.resource.definition.kind);
  if (pod === undefined) return;
  if (isPod && request.operation === "update" && !isSignificantUpdate(request.object as coreV1.Pod, request.previous as coreV1.Pod)) return;
  if (isPod) {
    const found = podSecurity.violations(policy.enforce, pod);
    const level = podSecurity.showLevel(policy.enforce);
    if (found.length > 0) throw refused(request, `violates PodSecurity ${JSON.stringify(level)}: ${podSecurity.detailsOf(found)}`);
  }
  const warned = podSecurity.violations(policy.warn, pod);
  if (warned.length === 0) return;
  request.warnings.push(
    `would violate PodSecurity ${JSON.stringify(podSecurity.showLevel(policy.warn))}: ${podSecurity.detailsOf(warned)}`,
  );
}
