/** What differs between two states of an object, as a unified diff of YAML. */
import type { KubeObject } from "@coxswain/client";
import { stringifyYaml, unifiedDiff } from "@coxswain/machinery";
import { masked } from "./secret-values.ts";

/** A state with the words that say which it is; without an object there was none. */
export interface ShownState {
  readonly title: string;
  readonly object: KubeObject | undefined;
}

/** Empty when nothing differs but who manages the fields, which is left out as `kubectl diff` leaves it out. */
export async function objectDiff(before: ShownState, after: ShownState): Promise<string> {
  const [a, b] = masked(before.object, after.object);
  const [from, to] = [await yamlOf(a), await yamlOf(b)];
  if (from === to) return "";
  const hunks = from === "" ? wholeHunk("+", to) : to === "" ? wholeHunk("-", from) : unifiedDiff(from, to);
  return `--- ${before.title}\n+++ ${after.title}\n${hunks}`;
}

async function yamlOf(object: KubeObject | undefined): Promise<string> {
  if (object === undefined) return "";
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return (await stringifyYaml({ ...object, metadata })).trimEnd();
}

function wholeHunk(sign: "+" | "-", text: string): string {
  const lines = text.split("\n");
  const range = lines.length === 1 ? "1" : `1,${lines.length}`;
  return `@@ ${sign === "+" ? `-0,0 +${range}` : `-${range} +0,0`} @@\n${lines.map((line) => `${sign}${line}\n`).join("")}`;
}
