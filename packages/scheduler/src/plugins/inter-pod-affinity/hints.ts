/** Which changes may let a Pod in that affinity has kept out. */
import type { KubeObject } from "@coxswain/machinery";
import type { AffinityTerm } from "../../framework/affinity-term.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { nodeOf, podOf, readOnce } from "../event-objects.ts";
import { meansWith } from "./terms.ts";

type Hint = (pod: PodInfo, before: KubeObject | undefined, after: KubeObject | undefined) => boolean;

/** Namespaces that are chosen by labels count as chosen: the hint reads no Namespaces, and must miss nothing. */
const mayMean = (term: AffinityTerm, pod: PodInfo): boolean =>
  term.namespaceSelector === undefined ? meansWith(term, pod, undefined) : term.selector.matches(pod.labels);
const mayAllMean = (terms: readonly AffinityTerm[], pod: PodInfo): boolean => terms.length > 0 && terms.every((term) => mayMean(term, pod));
const mayAnyMean = (terms: readonly AffinityTerm[], pod: PodInfo): boolean => terms.some((term) => mayMean(term, pod));

export function podChangeHint(): Hint {
  const infoOf = readOnce(newPodInfo);
  return (pod, before, after) => {
    const [was, is] = [podOf(before), podOf(after)].map((one) => one && infoOf(one));
    return serves(pod, was, is);
  };
}

function serves(pod: PodInfo, was: PodInfo | undefined, is: PodInfo | undefined): boolean {
  const { requiredAffinity, requiredAntiAffinity } = pod;
  const isCompany = (one: PodInfo | undefined): boolean => one !== undefined && mayAllMean(requiredAffinity, one);
  // Where the last of its company goes, a Pod that is company to itself may go anywhere.
  if (isCompany(is) !== isCompany(was) && (isCompany(is) || isCompany(pod))) return true;
  if (was === undefined) return false;
  if (is === undefined && mayAnyMean(was.requiredAntiAffinity, pod)) return true;
  return requiredAntiAffinity.some((term) => mayMean(term, was) && (is === undefined || !mayMean(term, is)));
}

/** A node whose labels change may take others' Pods along: what it leaves behind is not asked. */
export const isSchedulableAfterNodeChange: Hint = ({ requiredAffinity }, before, after) => {
  if (before !== undefined) return true;
  const labels = nodeOf(after)?.metadata?.labels;
  return requiredAffinity.length === 0 || requiredAffinity.some(({ topologyKey }) => labels?.[topologyKey] !== undefined);
};
