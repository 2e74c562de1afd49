/** What a change of an object means for those who manage its fields, each in the version that it knows. */
import type { KubeObject, StructType } from "@coxswain/machinery";
import { type FieldFilter, withoutUntracked } from "../field-path/field-filter.ts";
import { difference, type FieldSet, intersection, isEmptySet, union } from "../field-path/field-set.ts";
import type { FieldManager } from "../managed-fields/managed-fields.ts";
import { type MergeSchema, mergeSchemaOf } from "../schema/merge-schema.ts";
import { compareValuesOf } from "../typed/compare.ts";
import { suitSchema } from "../typed/suit-schema.ts";

/** The version of a request, and a way into the others in which fields may be managed. */
export interface ApplyVersions {
  readonly type: StructType;
  readonly apiVersion: string;
  /** Undefined for versions that are no longer served: their managers are dropped. Absent: there is no other version. */
  readonly other?: (apiVersion: string) => OtherVersion | undefined;
}

/** Another version in which a manager owns fields: its type, and how objects are converted to it and back. */
export interface OtherVersion {
  readonly type: StructType;
  /** From the request's version to this one. */
  readonly to: (object: Readonly<KubeObject>) => KubeObject;
  /** From this version to the request's. */
  readonly from: (object: Readonly<KubeObject>) => KubeObject;
}

/** What one version needs; the request's own converts nothing. */
export interface Version {
  readonly schema: MergeSchema;
  readonly to: (object: Readonly<KubeObject>) => Readonly<KubeObject>;
  readonly from: (object: Readonly<KubeObject>) => Readonly<KubeObject>;
}

export function versionAt({ type, apiVersion, other }: ApplyVersions, wanted: string): Version | undefined {
  if (wanted === apiVersion) return { schema: mergeSchemaOf(type), to: unchanged, from: unchanged };
  const found = other?.(wanted);
  return found === undefined ? undefined : { schema: mergeSchemaOf(found.type), to: found.to, from: found.from };
}

const unchanged = (object: Readonly<KubeObject>): Readonly<KubeObject> => object;

/** The managers whose versions are still served, with sets that agree with today's types. */
export function suitManagers(managers: readonly FieldManager[], versions: ApplyVersions): readonly FieldManager[] {
  const own = mergeSchemaOf(versions.type);
  if (managers.every((entry) => entry.apiVersion === versions.apiVersion && entry.suits === own)) return managers;
  return managers.flatMap((entry) => {
    const schema = entry.apiVersion === versions.apiVersion ? own : versionAt(versions, entry.apiVersion)?.schema;
    if (schema === undefined) return [];
    return entry.suits === schema ? [entry] : [{ ...entry, fields: suited(schema, entry.fields), suits: schema }];
  });
}

/** The sets that are as their types have them: objects share them. */
const suiting = new WeakMap<FieldSet, MergeSchema>();

function suited(schema: MergeSchema, fields: FieldSet): FieldSet {
  if (suiting.get(fields) === schema) return fields;
  const suits = suitSchema(schema, fields);
  suiting.set(suits, schema);
  return suits;
}

export interface Settled {
  /** Without those who own nothing any more. */
  readonly managers: readonly FieldManager[];
  /** What the change sets in the request's version, of what may be managed. */
  readonly changed: FieldSet;
  /** What others own of what was changed or added: theirs no longer, unless the caller gives way. */
  readonly conflicts: readonly { readonly manager: FieldManager; readonly fields: FieldSet }[];
}

interface ChangeBy {
  readonly versions: ApplyVersions;
  readonly filter: FieldFilter;
  /** Loses nothing. */
  readonly exempt?: FieldManager;
  /** Who makes the change: loses only fields that may have no manager. */
  readonly writer?: FieldManager | undefined;
}

/** Takes from all managers what was removed, and what is no longer as they had it. */
export function settleOwnership(
  before: Readonly<KubeObject>,
  after: Readonly<KubeObject>,
  managers: readonly FieldManager[],
  { versions, filter, exempt, writer }: ChangeBy,
): Settled {
  const changes = new Map<string, Change | undefined>();
  const changeAt = (apiVersion: string): Change | undefined => {
    if (!changes.has(apiVersion)) changes.set(apiVersion, compareVersions(before, after, versionAt(versions, apiVersion), filter));
    return changes.get(apiVersion);
  };
  const own = changeAt(versions.apiVersion);
  if (own === undefined) throw new Error(`no type for ${versions.apiVersion}`);
  const changed = withoutUntracked(own.changed);
  const conflicts: { manager: FieldManager; fields: FieldSet }[] = [];
  const kept: FieldManager[] = [];
  for (const entry of managers) {
    let { fields } = entry;
    if (entry !== exempt) {
      const change = entry.apiVersion === versions.apiVersion ? own : changeAt(entry.apiVersion);
      if (change === undefined) continue;
      const lost = intersection(fields, entry === writer ? difference(own.changed, changed) : change.changed);
      if (!isEmptySet(lost)) conflicts.push({ manager: entry, fields: lost });
      fields = difference(difference(fields, lost), change.removed);
    }
    if (!isEmptySet(fields)) kept.push(fields === entry.fields ? entry : { ...entry, fields });
  }
  return { managers: kept, changed, conflicts };
}

interface Change {
  /** Added and modified. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

function compareVersions(
  before: Readonly<KubeObject>,
  after: Readonly<KubeObject>,
  version: Version | undefined,
  filter: FieldFilter,
): Change | undefined {
  if (version === undefined) return undefined;
  const { added, modified, removed } = compareValuesOf(version.schema, version.to(before), version.to(after));
  return { changed: filter(union(modified, added)), removed: filter(removed) };
}
