/**
 * Objects as Kubernetes' own memory holds them: messages about what may not change show that form, with the names of its Go
 * fields. The layouts are facts, written by scripts/internal-types.
 */
import { unifiedDiff } from "@coxswain/machinery";
import layouts from "./internal-types.json" with { type: "json" };

/** The types that messages show; the file has those that are parts of them too. */
export type InternalType =
  | "AllocationResult"
  | "CSINodeDriver"
  | "EphemeralContainer"
  | "ParentReference"
  | "PersistentVolumeClaimSpec"
  | "PersistentVolumeSource"
  | "PodFailurePolicy"
  | "PodSpec"
  | "PodTemplateSpec"
  | "ResourceClaimSpec"
  | "ResourceClaimTemplateSpec"
  | "SuccessPolicy"
  | "VolumeAttachmentSpec"
  | "VolumeNodeAffinity";

type Layouts = Readonly<Record<string, readonly (readonly string[])[]>> & Readonly<Record<InternalType, unknown>>;
const layoutOf: Layouts = layouts;

type JsonObject = Readonly<Record<string, unknown>>;

/** What Go's JSON shows of the value: every field, in its order, with zeros and nulls. `type` may be `{}quantity` and the like. */
export const internalView = (type: InternalType | "{}quantity", value: unknown): unknown => viewOf(type, value, {});

/** The codes are those of Go's types: `*` a pointer, `[]` a list, `{}` a map, else a plain type or one that has a layout. */
function viewOf(code: string, value: unknown, parent: JsonObject): unknown {
  const isAbsent = value === undefined || value === null;
  if (code.startsWith("*")) return isAbsent ? null : viewOf(code.slice(1), value, parent);
  if (code.startsWith("[]")) {
    return Array.isArray(value) && value.length > 0 ? value.map((item) => viewOf(code.slice(2), item, {})) : null;
  }
  if (code.startsWith("{}")) {
    const entries = Object.entries((value ?? {}) as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0 ? null : Object.fromEntries(entries.map(([key, item]) => [key, viewOf(code.slice(2), item, {})]));
  }
  const layout = layoutOf[code];
  if (layout === undefined) return isAbsent ? zeros[code] : value;
  const fields = (value ?? {}) as JsonObject;
  const shown: Record<string, unknown> = {};
  for (const [name = "", at = "", type = ""] of layout) {
    if (type === "metadata") Object.assign(shown, metadataView((fields[at] ?? {}) as JsonObject));
    else shown[name] = viewOf(type, at.startsWith("^") ? parent[at.slice(1)] : fields[at], fields);
  }
  return shown;
}

const zeros: Readonly<Record<string, unknown>> = {
  __proto__: null as never,
  string: "",
  int: 0,
  bool: false,
  quantity: "0",
  intOrString: 0,
  time: null,
  bytes: null,
  versioned: {},
};

const metadataFields = [
  ...["name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"],
  ...["deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers", "managedFields"],
];

/** Metadata is in its published form, without what is not there. */
function metadataView(metadata: JsonObject): JsonObject {
  const shown = metadataFields.filter((name) => metadata[name] !== undefined && metadata[name] !== null);
  return Object.fromEntries(
    shown.map((name) => [name, name === "labels" || name === "annotations" ? sorted(metadata[name]) : metadata[name]]),
  );
}

const sorted = (map: unknown): unknown => viewOf("{}string", map, {});

/** How the internal forms differ: lines for the end of a message. */
export const internalDiff = (type: InternalType, before: unknown, after: unknown): string =>
  unifiedDiff(JSON.stringify(internalView(type, before), null, 1), JSON.stringify(internalView(type, after), null, 1));
