/** The writes that led to something, for people. */
import type { ChainReason, ChainStep, FieldEdit, ObjectName, ObservedRead } from "@coxswain/machinery";
import { isSecretField } from "./secret-values.ts";

interface TextOptions {
  readonly indent: string;
}

/** Fields of one write that are shown. */
const maxFields = 6;
/** Characters of a value. */
const maxValue = 60;

/** A line for each write, newest last, and below it what it changed and what its writer had read. */
export const chainText = (chain: readonly ChainStep[], { indent }: TextOptions): string =>
  chain
    .flatMap((step) => [headOf(step), ...detailsOf(step).map((line) => `      ${line}`)])
    .map((line) => `${indent}${line}`)
    .join("\n");

const headOf = (step: ChainStep): string =>
  `${step.resourceVersion}  ${shownObject(step.object)} ${operationOf(step)} by ${writerOf(step)}${step.time === undefined ? "" : ` at ${step.time}`}${reasons[step.reason]}`;

const reasons: Readonly<Record<ChainReason, string>> = {
  before: "",
  owner: ": its owner's last change",
  read: ": this is what the last writer had read",
  unseen: ": the last writer had not read this",
  involved: ": breaks it together with the last",
  violates: ": this broke it",
};

export const shownObject = ({ kind, group, namespace, name }: ObjectName): string =>
  `${kind.toLowerCase()}${group === "" ? "" : `.${group}`} ${namespace === undefined ? "" : `${namespace}/`}${name}`;

const past = { create: "created", update: "updated", delete: "deleted" } as const;

const operationOf = ({ operation, verb }: ChainStep): string =>
  verb === undefined || verb === operation ? past[operation] : `${past[operation]} (${verb})`;

function writerOf({ user, manager }: ChainStep): string {
  const by = user === undefined ? "an unknown user" : JSON.stringify(user);
  return manager === undefined ? by : `${by} with ${manager}`;
}

function detailsOf(step: ChainStep): readonly string[] {
  const { object, operation, changes = [] } = step;
  const isSecret = object.group === "" && object.resource === "secrets";
  // What a large object consists of is no story.
  const isShown = operation !== "create" || changes.length <= maxFields;
  const shown = isShown ? changes.slice(0, maxFields).map((edit) => editText(edit, isSecret)) : [];
  const more = isShown ? changes.length - shown.length : 0;
  return [...shown, ...(more > 0 ? [`… and ${more} more fields`] : []), ...readLines(step)];
}

const readLines = ({ reason, readResourceVersion, reads = [], requestID }: ChainStep): readonly string[] => [
  ...(readResourceVersion === undefined ? [] : [`based on version ${readResourceVersion} of it`]),
  ...reads.map(readText),
  ...(requestID === undefined || reason !== "violates" ? [] : [`request ${requestID}`]),
];

function editText({ kind, field, from, to }: FieldEdit, isSecret: boolean): string {
  const hidden = isSecret && isSecretField(field);
  const [before, after] = [valueText(from, hidden), valueText(to, hidden)];
  return kind === "added" ? `${field}: ${after}` : kind === "removed" ? `${field}: ${before} → nothing` : `${field}: ${before} → ${after}`;
}

function valueText(value: unknown, hidden: boolean): string {
  if (hidden) return "***";
  if (value === undefined) return "…";
  const text = JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue - 1).toWellFormed()}…` : text;
}

function readText({ verb, resource, namespace, name, resourceVersion }: ObservedRead): string {
  const one = `${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const what = name === undefined ? `the list of ${resource}${namespace === undefined ? "" : ` in ${namespace}`}` : `${resource} ${one}`;
  return verb === "watch" ? `watches ${what} since ${resourceVersion}` : `had read ${what} at ${resourceVersion}`;
}
