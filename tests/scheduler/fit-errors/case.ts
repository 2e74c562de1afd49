/** A cluster in which a Pod fits nowhere, in short, and what a scheduler says of it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { api } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";

export interface Case {
  readonly name: string;
  readonly nodes: readonly ShortNode[];
  /** Pods that are there already, on their nodes. */
  readonly there?: readonly ShortPod[];
  /** Whatever else there is. */
  readonly objects?: readonly KubeObject[];
  /** The one that fits nowhere. */
  readonly pod: ShortPod;
  /** What the real kube-scheduler says; the recorder writes it. */
  readonly fitError?: FitErrorText;
}

export interface FitErrorText {
  /** The Pod's condition PodScheduled. */
  readonly condition: { readonly status: string; readonly reason: string; readonly message: string };
  /** Its Events. */
  readonly events: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  /** Where room is made, and who has to go for it. */
  readonly nominatedNode?: string;
  readonly victims?: readonly string[];
}

interface ShortNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: api.coreV1.Taint[];
  readonly unschedulable?: boolean;
  /** Beside, or instead of, 4 CPUs, 8 GiB of memory and room for 110 Pods. */
  readonly allocatable?: Readonly<Record<string, string>>;
}

interface ShortPod {
  readonly name: string;
  readonly node?: string;
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
  /** When its kubelet saw it first. */
  readonly started?: string;
  readonly spec?: Partial<api.coreV1.PodSpec>;
}

export function nodeOf({ name, labels, taints, unschedulable, allocatable }: ShortNode): api.coreV1.Node {
  const amounts = { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", pods: "110", ...allocatable };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec: { ...(taints === undefined ? {} : { taints }), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: { allocatable: amounts, capacity: amounts, conditions: [{ type: "Ready", status: "True" }] },
  };
}

export function podOf({ name, node, labels, requests, spec }: ShortPod): api.coreV1.Pod {
  const container = {
    name: "main",
    image: "pause",
    ...(requests === undefined ? {} : { resources: { requests, limits: limitsOf(requests) } }),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", ...(labels === undefined ? {} : { labels }) },
    spec: { containers: [container], ...(node === undefined ? {} : { nodeName: node }), ...spec },
  };
}

/** Extended resources must have limits. */
const limitsOf = (requests: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(requests).filter(([name]) => name.includes("/")));

const folder = join(import.meta.dirname, "cases");

export interface CaseFile {
  readonly path: string;
  readonly cases: readonly Case[];
}

export const caseFiles = (): readonly CaseFile[] =>
  readdirSync(folder)
    .toSorted()
    .map((file) => join(folder, file))
    .map((path) => ({ path, cases: JSON.parse(readFileSync(path, "utf8")) as Case[] }));
