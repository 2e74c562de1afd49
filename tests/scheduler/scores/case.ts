/** A cluster, a Pod, and what the real kube-scheduler thinks of each node for it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { api } from "@coxswain/client";

export type Node = api.coreV1.Node;
export type Pod = api.coreV1.Pod;

export interface Case {
  readonly nodes: readonly Node[];
  readonly services: readonly api.coreV1.Service[];
  /** Those that are there, on their nodes. */
  readonly there: readonly Pod[];
  readonly pod: Pod;
  readonly outcome: Outcome;
}

export type Outcome =
  /** By plugin and node, with the plugin's weight; plugins that have nothing to say, or say the same of no node, are left out. */
  | { readonly scores: Readonly<Record<string, Readonly<Record<string, number>>>> }
  /** It fits only there, and nothing is scored. */
  | { readonly only: string }
  /** It fits nowhere: how many nodes say what. */
  | { readonly reasons: string };

const path = join(import.meta.dirname, "cases.jsonl");

export const readCases = (): readonly Case[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);

export const writeCases = (cases: readonly Case[]): void => writeFileSync(path, cases.map((one) => `${JSON.stringify(one)}\n`).join(""));
