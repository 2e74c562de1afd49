/** What `coxswain invariants` prints. */
import type { CheckedInvariant, InvariantReport, InvariantViolationReport, PastState } from "@coxswain/machinery";
import { age, tableOf } from "../instances/status-text.ts";
import { chainText } from "./chain-text.ts";

interface TextOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the writes that led to each violation are shown. */
  readonly hasChains: boolean;
}

/** A line for each violation, and one for each invariant that holds; below it what was not checked. */
export function invariantsText({ invariants, violations, metadata }: InvariantReport, { now, hasChains }: TextOptions): string {
  const rows = invariants.flatMap((invariant) => {
    const of = violations.filter((violation) => violation.invariant === invariant.name);
    return of.length === 0 ? [[invariant.name, "-", "-", "-", "-", "no"]] : of.map((violation) => rowOf(violation, now));
  });
  const table = tableOf([["INVARIANT", "OBJECT", "FIRST VIOLATED", "AGE", "BY", "STILL VIOLATED"], ...rows]);
  const stories = hasChains ? violations.map(storyOf) : [];
  const notes = invariants.flatMap((invariant) => [...notesOf(invariant)]);
  const checked = `Checked up to resourceVersion ${metadata.resourceVersion}, from ${sinceText(invariants, now)}.\n`;
  return [table, ...stories, checked, ...notes].join("");
}

function rowOf({ invariant, object, first, orEarlier, isViolated, chain }: InvariantViolationReport, now: number): readonly string[] {
  const by = chain.find(({ reason }) => reason === "violates");
  const name = object === undefined ? "-" : `${object.kind.toLowerCase()}/${object.name}`;
  return [
    invariant,
    object?.namespace === undefined ? name : `${object.namespace} ${name}`,
    `${first.resourceVersion}${orEarlier === true ? " or earlier" : ""}`,
    first.time === undefined ? "-" : age(now - Date.parse(first.time)),
    by?.user ?? "-",
    isViolated ? "yes" : "no",
  ];
}

const storyOf = ({ invariant, message, chain, count }: InvariantViolationReport): string =>
  `\n${invariant}: ${message}${count > 1 ? ` (${count} times)` : ""}\n${chain.length === 0 ? "" : `${chainText(chain, { indent: "  " })}\n`}\n`;

/** New ones may begin later than others. */
function sinceText(invariants: readonly CheckedInvariant[], now: number): string {
  const from = new Map(invariants.map((one) => [one.from.resourceVersion, one.from]));
  return [...from.values()].map((state) => stateText(state, now)).join(" or ");
}

const stateText = ({ resourceVersion, time }: PastState, now: number): string =>
  `${resourceVersion}${time === undefined ? "" : ` (${age(now - Date.parse(time))} ago)`} on`;

function* notesOf({ name, gaps = [], failures, more }: CheckedInvariant): Iterable<string> {
  for (const { after, until } of gaps)
    yield `${name}: not checked between resourceVersions ${after} and ${until}, which are not known any more.\n`;
  if (failures !== undefined)
    yield `${name}: could not be evaluated ${failures.count === 1 ? "once" : `${failures.count} times`}, first at resourceVersion ${failures.resourceVersion}${failures.message === undefined ? "" : `: ${failures.message}`}\n`;
  if (more !== undefined) yield `${name}: ${more} more violations are not listed.\n`;
}
