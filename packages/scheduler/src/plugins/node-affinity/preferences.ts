/** Which nodes are preferred, and how much. */
import { type coreV1, type NodeTest, nodesOf, nodesOfTerm } from "@coxswain/api";
import { type Args, isRecord } from "../plugin-args.ts";

export interface Preference {
  readonly chooses: NodeTest;
  readonly weight: number;
}

/** Terms that ask for nothing, or weigh nothing, prefer nothing. */
export const preferencesOf = (terms: readonly coreV1.PreferredSchedulingTerm[]): readonly Preference[] =>
  terms
    .filter(
      ({ weight, preference }) => weight !== 0 && (preference.matchExpressions ?? []).length + (preference.matchFields ?? []).length > 0,
    )
    .map(({ weight, preference }) => ({ weight, chooses: nodesOfTerm(preference) }));

export interface AddedAffinity {
  readonly required: NodeTest | undefined;
  readonly preferred: readonly Preference[];
}

/** NodeAffinityArgs of kubescheduler.config.k8s.io/v1: what holds for every Pod of the profile beside its own. */
export function readNodeAffinityArgs({ addedAffinity }: Args): AddedAffinity {
  if (!isRecord(addedAffinity)) return { required: undefined, preferred: [] };
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } =
    addedAffinity as coreV1.NodeAffinity;
  return { required: required && nodesOf(required), preferred: preferencesOf(preferred) };
}
