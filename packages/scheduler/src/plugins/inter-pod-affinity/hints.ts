/** Which changes may let a Pod in that affinity has kept out. */
import type { KubeObject } from "@coxswain/machinery";
import type { AffinityTerm } from "../../framework/affinity-term.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { nodeOf, podOf } from "../event-objects.ts";
import { meansWith } from "./terms.ts";

type Hint = (pod: PodInfo, before: KubeObject | undefined, after: KubeObject | undefined) => boolean;

/** Namespaces that are chosen by labels count as chosen: the hint asks nobody, and must miss nothing. */
const mayMean = (term: AffinityTerm, pod: PodInfo): boolean =>
  term.namespaceSelector === undefined ? meansWith(term, pod, undefined) : term.selector.matches(pod.labels);
const mayAllMean = (terms: readonly AffinityTerm[], pod: PodInfo): boolean => terms.length > 0 && terms.every((term) => mayMean(term, pod));
const mayAnyMean = (terms: readonly AffinityTerm[], pod: PodInfo): boolean => terms.some((term) => mayMean(term, pod));

export const mayServeAfterPod: Hint = ({ requiredAffinity, requiredAntiAffinity, ...pod }, before, after) => {
  const [was, is] = [infoOf(before), infoOf(after)];
  if (was === undefined) return is === undefined || mayAllMean(requiredAffinity, is);
  const self = { requiredAffinity, requiredAntiAffinity, ...pod };
  if (is === undefined) return mayAnyMean(requiredAntiAffinity, was) || mayAnyMean(was.requiredAntiAffinity, self);
  if (!mayAllMean(requiredAffinity, was) && mayAllMean(requiredAffinity, is)) return true;
  return requiredAntiAffinity.some((term) => mayMean(term, was) && !mayMean(term, is));
};

const infoOf = (object: KubeObject | undefined): PodInfo | undefined => {
  const pod = podOf(object);
  return pod && newPodInfo(pod);
};

/** A node whose labels change may take others' Pods along: what it leaves behind is not asked. */
export const mayServeAfterNode: Hint = ({ requiredAffinity }, before, after) => {
  if (before !== undefined) return true;
  const labels = nodeOf(after)?.metadata?.labels;
  return requiredAffinity.length === 0 || requiredAffinity.some(({ topologyKey }) => labels?.[topologyKey] !== undefined);
};
