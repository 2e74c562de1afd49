/** The last attempts of the Pods that were tried last, kept small however many nodes there are. */
import { wireTime } from "@coxswain/machinery";
import type { PodInfo } from "../framework/pod-info.ts";
import type { Status } from "../framework/status.ts";
import type { Diagnosis } from "../runtime/diagnosis.ts";
import type { Scores } from "../runtime/score-nodes.ts";
import type { AttemptExplanation, NodeScoreExplanation, RefusalExplanation } from "./explanation.ts";

export interface Attempt {
  readonly at: number;
  readonly schedulerName: string;
  readonly result: AttemptExplanation["result"];
  readonly node?: string;
  readonly message?: string;
  readonly nominatedNode?: string;
  readonly total: number;
  readonly fit: number;
  readonly diagnosis: Diagnosis;
  readonly scores: Scores | undefined;
}

/** The node chosen comes first: there may be more equals than are shown. */
const ahead = (scores: readonly NodeScoreExplanation[], node: string | undefined): readonly NodeScoreExplanation[] =>
  scores.toSorted((a, b) => Number(b.node === node) - Number(a.node === node));

const attemptsKept = 3;
const podsKept = 1_000;
const nodesShown = 10;

export class Explanations {
  /** By `namespace/name`; those tried last come last. */
  readonly #pods = new Map<string, Explained>();

  add({ key, uid }: PodInfo, attempt: Attempt): void {
    const known = this.#pods.get(key);
    const before = known?.uid === uid ? known.attempts : [];
    this.#pods.delete(key);
    this.#pods.set(key, { uid, attempts: [compress(attempt), ...before.slice(0, attemptsKept - 1)] });
    if (this.#pods.size <= podsKept) return;
    const [oldest] = this.#pods.keys();
    if (oldest !== undefined) this.#pods.delete(oldest);
  }

  of(key: string): { readonly uid: string; readonly attempts: readonly AttemptExplanation[] } | undefined {
    const known = this.#pods.get(key);
    return known === undefined ? undefined : { uid: known.uid, attempts: known.attempts.map((write) => write()) };
  }
}

interface Explained {
  readonly uid: string;
  /** Each is formatted when it is requested: most never are. */
  readonly attempts: readonly (() => AttemptExplanation)[];
}

/** Copies what it keeps, in as few pieces as it can: lists and scores are used again in the next attempt. */
function compress({ at, total, fit, diagnosis, scores, ...rest }: Attempt): () => AttemptExplanation {
  const nodes = { total, asked: fit + diagnosis.nodes.length, fit };
  const refusals = refusalsOf(diagnosis);
  const best = scores === undefined ? undefined : bestOf(scores, rest.node);
  return () => ({ at: wireTime(at), ...rest, nodes, refusals, scores: best === undefined ? [] : ahead(best(), rest.node) });
}

interface Group extends RefusalExplanation {
  count: number;
  readonly nodes: string[];
}

function refusalsOf({ nodes, statuses, plugins, absentNodesStatus: others }: Diagnosis): readonly RefusalExplanation[] {
  const groups = new Map<string, Group>();
  // Most statuses are one object, given again and again.
  const known = new Map<object, Group>();
  for (let i = 0; i < statuses.length; i++) {
    const status = statuses[i];
    if (status === undefined) continue;
    let group = known.get(status);
    if (group === undefined) {
      group = groupOf(groups, plugins[i] ?? "", status);
      known.set(status, group);
    }
    group.count++;
    const name = nodes[i]?.name;
    if (name !== undefined && group.nodes.length < nodesShown) group.nodes.push(name);
  }
  const all: RefusalExplanation[] = [...groups.values()];
  if (others !== undefined) {
    const { plugin = "", code, reasons } = others;
    all.push({ plugin, reasons, preemptionMayHelp: code === "Unschedulable", count: 0, nodes: [] });
  }
  return all;
}

function groupOf(groups: Map<string, Group>, plugin: string, { code, reasons }: Status): Group {
  const key = [plugin, code, ...reasons].join("\0");
  const group = groups.get(key) ?? { plugin, reasons, preemptionMayHelp: code === "Unschedulable", count: 0, nodes: [] };
  groups.set(key, group);
  return group;
}

function bestOf({ nodes, columns, totals }: Scores, chosen: string | undefined): () => readonly NodeScoreExplanation[] {
  const places = bestPlaces(totals);
  if (chosen !== undefined && !places.some((at) => nodes[at]?.name === chosen)) {
    places.pop();
    places.push(nodes.findIndex(({ name }) => name === chosen));
  }
  const names = places.map((at) => nodes[at]?.name ?? "");
  const sums = places.map((at) => totals[at] ?? 0);
  const kept = columns.map(({ name, weight, scores }) => ({ name, weight, scores: Float64Array.from(places, (at) => scores[at] ?? 0) }));
  return () =>
    names.map((node, i) => ({
      node,
      total: sums[i] ?? 0,
      plugins: kept.map(({ name, weight, scores }) => ({ name, score: scores[i] ?? 0, weight })),
    }));
}

function bestPlaces(totals: Float64Array): number[] {
  const best: number[] = [];
  for (let at = 0; at < totals.length; at++) {
    const total = totals[at] ?? 0;
    const last = best.at(-1);
    if (best.length === nodesShown && last !== undefined && (totals[last] ?? 0) >= total) continue;
    if (best.length === nodesShown) best.pop();
    const place = best.findIndex((other) => (totals[other] ?? 0) < total);
    best.splice(place < 0 ? best.length : place, 0, at);
  }
  return best;
}
