/**
 * Which containers start again after they have ended.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy and https://kep.k8s.io/5307
 */
import type { coreV1 } from "@coxswain/api";
import type { Container, Pod } from "./pod.ts";
import { initial, isDeleted, latest, ordinary, type PodState } from "./pod-state.ts";

/** The first rule of the container's own that is about this exit code. */
export const matchingRule = ({ restartPolicyRules = [] }: Container, exitCode: number): coreV1.ContainerRestartRule | undefined =>
  restartPolicyRules.find(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) === true;
    return exitCodes?.operator === "In" ? isListed : exitCodes?.operator === "NotIn" && !isListed;
  });

/** Whether it starts again after it has ended so. */
export function restartsAfter(container: Container, pod: Pod, exitCode: number): boolean {
  const { restartPolicy } = container;
  if (restartPolicy !== undefined && restartPolicy !== "") {
    const action = matchingRule(container, exitCode)?.action;
    if (action === "Restart" || action === "RestartAllContainers") return true;
  }
  const policy = restartPolicy || pod.spec?.restartPolicy;
  return policy === "OnFailure" ? exitCode !== 0 : policy !== "Never";
}

/** Whether one that still runs starts again after it is made to end: rules of exit codes say nothing then. */
export const restartsAfterKill = ({ restartPolicy }: Container, pod: Pod): boolean =>
  (restartPolicy || pod.spec?.restartPolicy) !== "Never";

/** Whether the container shall be started, now or after its backoff. */
export function shallStart(container: Container, pod: Pod, state: PodState): boolean {
  if (isDeleted(pod)) return false;
  const status = latest(state, container.name);
  if (status === undefined) return true;
  if (status.state !== "exited") return status.state !== "running";
  return restartsAfter(container, pod, status.exitCode);
}

/** Some rule of the Pod can make it restart in place. */
export const canRestartWhole = (pod: Pod): boolean =>
  [...initial(pod), ...ordinary(pod)].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === "RestartAllContainers"),
  );

export const restartsWhole = (container: Container, exitCode: number): boolean =>
  matchingRule(container, exitCode)?.action === "RestartAllContainers";

/** A container has ended in a way for which all restart, or that is under way. */
export function isWholeRestarting(pod: Pod, state: PodState, reported: coreV1.PodStatus | undefined): boolean {
  if (!canRestartWhole(pod)) return false;
  if (reported?.conditions?.some(({ type, status }) => type === "AllContainersRestarting" && status === "True")) return true;
  const statuses = [...(reported?.initContainerStatuses ?? []), ...(reported?.containerStatuses ?? [])];
  return [...initial(pod), ...ordinary(pod)].some((container) => {
    const status = latest(state, container.name);
    if (status?.state !== "exited") return false;
    if (restartsWhole(container, status.exitCode)) return true;
    const ended = statuses.find(({ name }) => name === container.name)?.state?.terminated;
    return ended !== undefined && restartsWhole(container, ended.exitCode);
  });
}
