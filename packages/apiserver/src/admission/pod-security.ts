/**
 * Pods keep to the level of security that the labels of their namespace name: what violates it is refused, or told to the client.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
import { type coreV1, podSecurity } from "@coxswain/api";
import { deepEqual, invalid, type KubeObject } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest } from "../contracts/admission.ts";
import type { AdmissionPluginConfigurations, PodSecurityConfiguration } from "../contracts/admission-configuration.ts";
import { listObjects, type ObjectReader, readObject } from "../storage/object-reader.ts";
import { checkedPodOf, hasPodSpec, isSignificantUpdate } from "./checked-pod.ts";
import { ignoredPolicy, violationsIn } from "./pod-security-of-namespace.ts";
import { refused } from "./refused.ts";

type Namespace = coreV1.Namespace & KubeObject;

const namespaces = { group: "", version: "v1", resource: "namespaces" };
const pods = { group: "", version: "v1", resource: "pods" };
/** Of Pods: what does not change what is checked. */
const ignoredSubresources = new Set(["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"]);

export interface PodSecurityServices extends ObjectReader {
  readonly configuration?: AdmissionPluginConfigurations;
}

const noConfiguration: PodSecurityConfiguration = {
  defaults: podSecurity.defaultPolicy,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

export const podSecurityAdmission: AdmissionPluginFactory<PodSecurityServices> = {
  name: "PodSecurity",
  create: (services) => ({
    handles({ operation, resource: { definition }, subresource }) {
      if (operation === "delete") return false;
      if (definition.group === "" && definition.kind === "Pod") return !ignoredSubresources.has(subresource);
      return subresource === "" && (isNamespace(definition) || hasPodSpec(definition));
    },
    async validate(request) {
      if (isNamespace(request.resource.definition)) return await validateNamespace(services, request);
      await validatePodSpec(services, request);
    },
  }),
};

const isNamespace = ({ group, kind }: AdmissionRequest["resource"]["definition"]): boolean => group === "" && kind === "Namespace";

/** Labels that cannot be read are refused; Pods that a new level would refuse are told. @throws invalid() */
async function validateNamespace(
  services: PodSecurityServices,
  { object, previous, name, warnings, operation }: AdmissionRequest,
): Promise<void> {
  const { defaults, exemptions } = configurationOf(services);
  const labels = (object as Namespace).metadata?.labels;
  const { policy, errors } = podSecurity.policyOf(labels, defaults);
  const before = previous === undefined ? undefined : podSecurity.policyOf(previous.metadata?.labels, defaults);
  const own = object?.metadata?.name ?? name;
  if (errors.length > 0 && !deepEqual(errors, before?.errors)) throw invalid({ group: "", kind: "Namespace" }, own, errors);
  const isExempt = exemptions.namespaces.includes(own);
  const ignored = (): readonly string[] => (isExempt ? ignoredPolicy(own, { policy, defaults, labels }) : []);
  if (operation === "create" || before === undefined) return void warnings.push(...ignored());
  const { enforce } = policy;
  const { enforce: was } = before.policy;
  if (deepEqual(enforce, was) || enforce.level === "privileged") return;
  if (enforce.version === was.version && podSecurity.compareLevels(enforce.level, was.level) < 1) return;
  if (isExempt) return void warnings.push(...ignored());
  const existing = await listObjects<coreV1.Pod & KubeObject>(services, pods, own);
  const checked = existing.filter(({ spec }) => !isExemptClass(spec?.runtimeClassName, exemptions));
  warnings.push(...violationsIn(own, enforce, checked));
}

const configurationOf = ({ configuration }: PodSecurityServices): PodSecurityConfiguration => configuration?.podSecurity ?? noConfiguration;

type Exemptions = PodSecurityConfiguration["exemptions"];

const isExemptClass = (name: string | undefined, { runtimeClasses }: Exemptions): boolean =>
  name !== undefined && runtimeClasses.includes(name);

/** @throws forbidden() for a Pod; what makes Pods only gets a warning */
async function validatePodSpec(services: PodSecurityServices, request: AdmissionRequest): Promise<void> {
  const { defaults, exemptions } = configurationOf(services);
  if (exemptions.namespaces.includes(request.namespace)) return annotate(request, "exempt", "namespace");
  if (exemptions.usernames.includes(request.user.name)) return annotate(request, "exempt", "user");
  const isPod = request.resource.definition.kind === "Pod";
  const { metadata } = (await readObject<Namespace>(services, namespaces, "", request.namespace)) ?? {};
  const { policy } = podSecurity.policyOf(metadata?.labels, defaults);
  if (podSecurity.isFullyPrivileged(policy)) {
    if (isPod) annotate(request, "enforce-policy", "privileged:latest");
    return;
  }
  const pod = checkedPodOf(request.object as KubeObject, request.resource.definition.kind);
  if (pod === undefined) return;
  if (isPod && request.operation === "update" && !isSignificantUpdate(request.object as coreV1.Pod, request.previous as coreV1.Pod)) return;
  if (isExemptClass(pod.spec.runtimeClassName, exemptions)) return annotate(request, "exempt", "runtimeClass");
  if (request.auditAnnotations !== undefined) annotateViolations(request, policy.audit, pod);
  if (isPod) {
    const found = podSecurity.violations(policy.enforce, pod);
    const level = podSecurity.showLevel(policy.enforce);
    annotate(request, "enforce-policy", level);
    if (found.length > 0) throw refused(request, `violates PodSecurity ${JSON.stringify(level)}: ${podSecurity.detailsOf(found)}`);
  }
  const warned = podSecurity.violations(policy.warn, pod);
  if (warned.length === 0) return;
  request.warnings.push(
    `would violate PodSecurity ${JSON.stringify(podSecurity.showLevel(policy.warn))}: ${podSecurity.detailsOf(warned)}`,
  );
}

/** For the audit log, of an audited request; what is there stays. */
function annotate({ auditAnnotations: annotations }: AdmissionRequest, name: string, value: string): void {
  const key = `pod-security.kubernetes.io/${name}`;
  if (annotations !== undefined && !annotations.has(key)) annotations.set(key, value);
}

function annotateViolations(
  request: AdmissionRequest,
  level: podSecurity.LevelVersion,
  pod: Parameters<typeof podSecurity.violations>[1],
): void {
  const found = podSecurity.violations(level, pod);
  if (found.length === 0) return;
  const value = `would violate PodSecurity ${JSON.stringify(podSecurity.showLevel(level))}: ${podSecurity.detailsOf(found)}`;
  annotate(request, "audit-violations", value);
}
