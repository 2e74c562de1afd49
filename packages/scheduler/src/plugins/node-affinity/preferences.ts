/** Which nodes are preferred, and how much. */
import { type coreV1, type NodeTest, nodesOf, nodesOfTerm } from "@coxswain/api";
import { field } from "@coxswain/machinery";
import { type Args, isRecord, refuseAny } from "../plugin-args.ts";

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

/**
 * NodeAffinityArgs of kubescheduler.config.k8s.io/v1: what holds for every Pod of the profile beside its own.
 * @throws Error naming what is wrong
 */
export function readNodeAffinityArgs({ addedAffinity }: Args): AddedAffinity {
  if (!isRecord(addedAffinity)) return { required: undefined, preferred: [] };
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } =
    addedAffinity as coreV1.NodeAffinity;
  const errors: field.FieldError[] = [];
  for (const [i, term] of (required?.nodeSelectorTerms ?? []).entries())
    checkTerm(errors, `addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`, term);
  for (const [i, { preference }] of preferred.entries())
    checkTerm(errors, `addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[${i}]`, preference);
  refuseAny(errors);
  return { required: required && nodesOf(required), preferred: preferencesOf(preferred) };
}

/** Where a Pod's own terms choose nothing because they cannot be read, those of a configuration are refused. */
function checkTerm(errors: field.FieldError[], path: string, { matchExpressions = [], matchFields = [] }: coreV1.NodeSelectorTerm): void {
  for (const [i, { operator }] of matchExpressions.entries())
    checkOperator(errors, `${path}.matchExpressions[${i}]`, operator, ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]);
  for (const [i, { operator, values = [] }] of matchFields.entries()) {
    checkOperator(errors, `${path}.matchFields[${i}]`, operator, ["In", "NotIn"]);
    if (values.length !== 1) errors.push(field.invalid(`${path}.matchFields[${i}].values`, values, "must have one element"));
  }
}

function checkOperator(errors: field.FieldError[], path: string, operator: string, known: readonly string[]): void {
  if (!known.includes(operator)) errors.push(field.notSupported(`${path}.operator`, operator, known));
}
