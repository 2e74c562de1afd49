/** What is known of invariants, as it is answered: of each object to who may get it. */
import type { HistoryReader } from "@coxswain/history";
import type { ChainStep, CheckedInvariant, InvariantReport, InvariantViolationReport, ObjectName } from "@coxswain/machinery";
import { describe } from "../history/moment.ts";
import type { MayGet } from "../routes/reports.ts";
import type { ViolatingWrite } from "./chain.ts";
import type { InvariantFailure, InvariantGap, KeptViolation, Violation, Violations } from "./violations.ts";

/** What a watch has found. */
export interface Found {
  readonly invariants: readonly string[];
  readonly from: number;
  readonly checked: number;
  readonly gaps: readonly InvariantGap[];
  readonly failures: ReadonlyMap<string, InvariantFailure>;
  readonly violations: Violations;
}

export interface ReportServices {
  readonly history: Pick<HistoryReader, "timeOf">;
  chainOf(write: ViolatingWrite): Promise<readonly ChainStep[]>;
}

export async function reportOn(found: Found, services: ReportServices, mayGet: MayGet): Promise<InvariantReport> {
  const violations: InvariantViolationReport[] = [];
  for (const kept of found.violations.list())
    if (await maySee(kept.violation, mayGet)) violations.push(await violationOf(kept, services, mayGet));
  const from = describe(found.from, await services.history.timeOf(found.from));
  return {
    kind: "InvariantReport",
    apiVersion: "coxswain/v1",
    metadata: { resourceVersion: String(found.checked) },
    invariants: await Promise.all(found.invariants.map((name) => checkedInvariant(name, from, found, mayGet))),
    violations,
  };
}

/** An invariant of many objects is for who may see all of them: its message may be about any. */
async function maySee({ object, related }: Violation, mayGet: MayGet): Promise<boolean> {
  if (object === undefined && related.length === 0) return false;
  if (object !== undefined && !(await mayGetObject(object, mayGet))) return false;
  for (const { namespace = "", ...resource } of related) if (!(await mayGet({ ...resource, namespace, name: "" }))) return false;
  return true;
}

const mayGetObject = ({ kind: _, namespace = "", ...object }: ObjectName, mayGet: MayGet): Promise<boolean> =>
  mayGet({ ...object, namespace });

async function violationOf(
  { violation, isViolated, resolvedAt, count }: KeptViolation,
  services: ReportServices,
  mayGet: MayGet,
): Promise<InvariantViolationReport> {
  const { invariant, problem, object, revision, at, orEarlier } = violation;
  return {
    ...{ invariant, message: problem },
    ...(object === undefined ? {} : { object }),
    first: describe(revision, at),
    ...(orEarlier ? { orEarlier: true as const } : {}),
    isViolated,
    ...(resolvedAt === undefined ? {} : { resolved: describe(resolvedAt.revision, resolvedAt.at) }),
    count,
    chain: await visible(await chainOf(violation, services), mayGet),
  };
}

async function chainOf(
  { chain, object, revision, note, related, involved, orEarlier }: Violation,
  services: ReportServices,
): Promise<readonly ChainStep[]> {
  if (chain !== undefined) return chain;
  return object === undefined || orEarlier ? [] : services.chainOf({ object, revision, note, related, involved });
}

/** Each step is one object's. */
async function visible(chain: readonly ChainStep[], mayGet: MayGet): Promise<readonly ChainStep[]> {
  const seen = await Promise.all(chain.map(({ object }) => mayGetObject(object, mayGet)));
  return chain.filter((_, i) => seen[i]);
}

async function checkedInvariant(
  name: string,
  from: CheckedInvariant["from"],
  { gaps, failures, violations }: Found,
  mayGet: MayGet,
): Promise<CheckedInvariant> {
  const failure = failures.get(name);
  const more = violations.more(name);
  return {
    name,
    from,
    ...(gaps.length === 0 ? {} : { gaps: gaps.map(({ after, until }) => ({ after: String(after), until: String(until) })) }),
    ...(failure === undefined ? {} : { failures: await failuresOf(failure, mayGet) }),
    ...(more === 0 ? {} : { more }),
  };
}

/** What went wrong may have words of the object. */
async function failuresOf({ count, revision, object, message }: InvariantFailure, mayGet: MayGet) {
  const shown = object !== undefined && (await mayGetObject(object, mayGet));
  return { count, resourceVersion: String(revision), ...(shown ? { message } : {}) };
}
