/** Holds back the containers of a Pod until NetworkPolicies count for it. */
import type { IsolatePod, NetworkedPod } from "@coxswain/kubelet";
import type { Clock } from "@coxswain/machinery";
import type { IsolationOptions } from "@coxswain/network-policy";

/** Resolves once rules count for a Pod, or no policy is about it. @throws Error where nobody can say so */
export type AskIsolation = (pod: NetworkedPod, options: IsolationOptions) => Promise<void>;

/** How long it may take until it is known whether a policy is about a Pod. Milliseconds. */
const answerMs = 10_000;
/** And until it is said that its rules take long. */
const slowMs = 10_000;

/**
 * A Pod of which it is known that a policy is about it waits until that counts. One of which nobody says so in time starts: whoever
 * enforces policies may be gone for good, and a node without Pods is of use to nobody.
 */
export const isolatePod =
  (ask: AskIsolation, clock: Clock): IsolatePod =>
  async (pod, report, signal) => {
    const late = new AbortController();
    let timer = clock.schedule(answerMs, () => late.abort(new Error(`no answer in ${answerMs / 1_000} s`)));
    const onSelected = (): void => {
      timer[Symbol.dispose]();
      timer = clock.schedule(slowMs, () => report("containers wait: the rules of NetworkPolicies about the Pod are not written yet"));
    };
    try {
      await ask(pod, { onSelected, signal: AbortSignal.any([signal, late.signal]) });
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      report(`containers start although nobody says whether NetworkPolicies are about the Pod: ${why}`);
    } finally {
      timer[Symbol.dispose]();
    }
  };
