import type { coreV1 } from "@coxswain/api";
import { isControlledBy } from "@coxswain/client";

/** Only a Pod that has a Node can: no Pod is started on a claim that is being deleted. One that has ended counts until it goes. */
export const usesClaim = (pod: coreV1.Pod, claim: coreV1.PersistentVolumeClaim): boolean =>
  (pod.spec?.nodeName ?? "") !== "" &&
  (pod.spec?.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim?.claimName === claim.metadata?.name) return true;
    return (
      ephemeral !== undefined && !isShutDown(pod) && claim.metadata?.name === `${pod.metadata?.name}-${name}` && isControlledBy(claim, pod)
    );
  });

/**
 * Its kubelet is through with it, or was passed over: what keeps it is a finalizer, which may itself wait for the claims that
 * the Pod owns.
 */
export const isShutDown = ({ metadata }: coreV1.Pod): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
