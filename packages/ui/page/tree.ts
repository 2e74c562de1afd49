/** The order of the lanes: owners before what they control, folded or not. */
import type { Lane, Model } from "./model.ts";

export interface Row {
  readonly lane: Lane;
  readonly depth: number;
  readonly children: number;
  readonly isFolded: boolean;
  /** Lanes whose changes are shown here: its own, and of a folded one all below it. */
  readonly shown: readonly number[];
}

export interface TreeOptions {
  readonly filter: string;
  /** Lanes that are not as they are by default, which is folded. */
  readonly unfolded: ReadonlySet<number>;
  /** Whether those are shown, without a filter, that the cluster has for itself. */
  readonly isSystemShown: boolean;
}

/** With a filter, those whose text has it, with their owners, and unfolded. */
export function rowsOf(model: Model, { filter, unfolded, isSystemShown }: TreeOptions): readonly Row[] {
  const byUid = new Map<string, Lane>();
  for (const lane of model.lanes) if (lane.object.uid !== undefined) byUid.set(lane.object.uid, lane);
  const children = new Map<number, Lane[]>();
  const roots: Lane[] = [];
  for (const lane of model.lanes) {
    const owner = lane.object.owner === undefined ? undefined : byUid.get(lane.object.owner);
    if (owner === undefined || owner === lane || isAbove(lane, owner, byUid)) roots.push(lane);
    else {
      const own = children.get(owner.index);
      if (own === undefined) children.set(owner.index, [lane]);
      else own.push(lane);
    }
  }
  const wanted = filter === "" ? undefined : filter.toLowerCase().split(/\s+/);
  const rows: Row[] = [];
  const matches = (lane: Lane): boolean => wanted === undefined || wanted.every((word) => lane.text.includes(word));
  const hasMatch = (lane: Lane): boolean => matches(lane) || (children.get(lane.index) ?? []).some(hasMatch);
  const below = (lane: Lane): number[] => [lane.index, ...(children.get(lane.index) ?? []).flatMap(below)];
  const add = (lane: Lane, depth: number, isInside: boolean): void => {
    const own = children.get(lane.index) ?? [];
    const isFolded = own.length > 0 && !unfolded.has(lane.index) && (wanted === undefined || matches(lane));
    rows.push({ lane, depth, children: own.length, isFolded, shown: isFolded ? below(lane) : [lane.index] });
    if (!isFolded)
      for (const child of sorted(own)) if (isInside || matches(lane) || hasMatch(child)) add(child, depth + 1, isInside || matches(lane));
  };
  // Events stand at the objects that they are about.
  const isHidden = (lane: Lane): boolean =>
    !isSystemShown &&
    (wanted === undefined ? rank(lane) >= firstSystemRank : lane.object.resource === "events" && !filter.includes("event"));
  for (const lane of sorted(roots)) if (!isHidden(lane) && hasMatch(lane)) add(lane, 0, false);
  return rows;
}

/** Owners that own each other have no place in a tree. */
function isAbove(lane: Lane, owner: Lane, byUid: ReadonlyMap<string, Lane>): boolean {
  let above: Lane | undefined = owner;
  for (let steps = 0; above !== undefined && steps < 16; steps++) {
    if (above === lane) return true;
    above = above.object.owner === undefined ? undefined : byUid.get(above.object.owner);
  }
  return above !== undefined;
}

/** What people made comes first, then what the cluster has for itself; leases and events, which change all the time, come last. */
function rank({ object: { resource, namespace = "", name } }: Lane): number {
  if (resource === "events") return 5;
  if (resource === "leases") return 4;
  if (namespace === "") return ofClusters.has(resource) && !name.startsWith("kube-") ? 1 : 2;
  if (namespace.startsWith("kube-")) return 3;
  return madeWithNamespaces.has(name) ? 2 : 0;
}

const firstSystemRank = 2;
/** What is made for people, though it belongs to no namespace. */
const ofClusters = new Set(["nodes", "namespaces", "persistentvolumes", "customresourcedefinitions"]);
/** Each namespace has these, and the default one the API server's. */
const madeWithNamespaces = new Set(["kube-root-ca.crt", "default", "kubernetes"]);

const sorted = (lanes: readonly Lane[]): readonly Lane[] =>
  [...lanes].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      compare(a.object.namespace ?? "", b.object.namespace ?? "") ||
      compare(a.object.kind, b.object.kind) ||
      compare(a.object.name, b.object.name),
  );

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
