/** Label and field selectors as one question about an entry. */
import { storedFieldLabel } from "@coxswain/api";
import { badRequest, type FieldSelector, goQuote, parseFieldSelector, parseLabelSelector } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";

export interface Selection {
  /** Everything is selected. */
  readonly all: boolean;
  /** Equal for selections that select the same. */
  readonly text: string;
  /** The only name that can be selected, when the field selector says so. */
  readonly name: string | undefined;
  matches(entry: Entry): boolean;
}

const everything: Selection = { all: true, text: "", name: undefined, matches: () => true };

/** @throws badRequest() for what cannot be parsed and for fields that the kind does not offer. */
export function parseSelection(resource: ServedResource, cache: ObjectCache, labels: string, fields: string): Selection {
  if (labels === "" && fields === "") return everything;
  const labelSelector = parseLabelSelector(labels);
  const fieldSelector = parseFieldSelector(fields);
  const paths = fieldSelector.requirements.map(({ field }) => storedPath(resource, field));
  const needsFields = paths.some((path) => path !== nameField && path !== namespaceField);
  if (labelSelector.empty && paths.length === 0) return everything;
  return {
    all: false,
    text: `${labels}\n${fields}`,
    name: fieldSelector.exact(nameField),
    matches: (entry) => {
      if (!labelSelector.empty && !labelSelector.matches(cache.labelsOf(entry))) return false;
      return paths.length === 0 || matchesFields(fieldSelector, resource, entry, needsFields ? cache.fieldsOf(entry, resource) : noFields);
    },
  };
}

const nameField = "metadata.name";
const namespaceField = "metadata.namespace";

const noFields: Readonly<Record<string, string>> = { __proto__: null as never };

function matchesFields(selector: FieldSelector, resource: ServedResource, entry: Entry, values: Readonly<Record<string, string>>): boolean {
  return selector.matches((field) => {
    if (field === nameField) return entry.key.slice(entry.key.lastIndexOf("/") + 1);
    if (field === namespaceField) return namespaceOf(entry.key, resource);
    return values[storedFieldLabel(resource.definition, field) ?? field] ?? "";
  });
}

function namespaceOf(key: string, resource: ServedResource): string {
  return resource.definition.namespaced ? key.slice(resource.prefix.length, key.lastIndexOf("/")) : "";
}

/** @throws badRequest() with the text of kinds that have fields of their own, or of those that have none. */
function storedPath(resource: ServedResource, field: string): string {
  const { definition } = resource;
  const custom = definition.custom !== undefined;
  const offered = (custom ? resource : resource.storage).definition.strategy.selectableFields;
  const own = custom || offered !== undefined || definition.strategy.selectableFields !== undefined;
  // Kinds without a namespace offer that field only where they offer no others.
  if (field === nameField || (field === namespaceField && (definition.namespaced || !own))) return field;
  if (!own) throw badRequest(`${goQuote(field)} is not a known field selector: only ${goQuote(nameField)}, ${goQuote(namespaceField)}`);
  const stored = storedFieldLabel(definition, field) ?? "";
  const known = offered?.(sample) ?? {};
  if (!Object.hasOwn(known, stored)) throw badRequest(notOffered[definition.kind]?.(field) ?? `field label not supported: ${field}`);
  return stored;
}

/** Kinds that say it in their own words. */
const notOffered: Readonly<Record<string, (field: string) => string>> = {
  __proto__: null as never,
  Job: (field) => `field label ${goQuote(field)} not supported for Job`,
  ResourceSlice: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
};

/** The names of a kind's fields are the same for every object, so an empty one shows them. */
const sample = { metadata: {}, spec: {}, status: {}, involvedObject: {}, source: {} };
