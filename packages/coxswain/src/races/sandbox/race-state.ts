/** What has happened in a race so far: a pure function of the requests, their answers, and the object after each. */
import { changedLeaves, formatSteps } from "@coxswain/client";
import { isObject, type KubeObject, type RaceExchangeRequest, type RaceStep, type RaceVersion, type Status } from "@coxswain/machinery";

import { ownershipChanges } from "./field-owners.ts";

/** A request and its answer, as they went over the wire. */
export interface Exchange {
  readonly actor: string;
  readonly request: RaceExchangeRequest;
  readonly code: number;
  /** Undefined for what is no JSON. */
  readonly answer: unknown;
  /** RFC 3339. */
  readonly time: string;
  /** Components send what they have seen to be needed: that what others set is changed by it is no accident. */
  readonly isComponent: boolean;
}

/** What an actor has read last. */
export interface Copy {
  readonly resourceVersion: string;
  readonly object: KubeObject;
}

export interface RaceState {
  /** The object as it is; undefined when it is deleted. */
  readonly object: KubeObject | undefined;
  /** As it was when the race began. */
  readonly first: KubeObject;
  readonly copies: ReadonlyMap<string, Copy>;
  readonly steps: readonly RaceStep[];
  /** Oldest first. */
  readonly versions: readonly RaceVersion[];
}

export const versionOf = (object: KubeObject | undefined): string => object?.metadata?.resourceVersion ?? "";

export const beginRace = (object: KubeObject, { actor, time }: Pick<RaceVersion, "actor" | "time">): RaceState => ({
  ...{ object, first: object },
  copies: new Map(),
  steps: [],
  versions: [{ resourceVersion: versionOf(object), time, actor }],
});

/** The race after a request was answered. @param after the object as the store has it then */
export function afterExchange(state: RaceState, exchange: Exchange, after: KubeObject | undefined): RaceState {
  const { actor, request, code, answer, time, isComponent } = exchange;
  const number = state.steps.length + 1;
  const own = isSuccess(code) && isKubeObject(answer) && isSame(answer, state, after) ? answer : undefined;
  const copies = own === undefined ? state.copies : new Map(state.copies).set(actor, { resourceVersion: versionOf(own), object: own });
  const status = isObject(answer) && answer.kind === "Status" ? (answer as unknown as Status) : undefined;
  const lost = isComponent || request.method === "GET" || !isSuccess(code) ? [] : lostFields(state, actor, after);
  const isWritten = state.object !== undefined && after !== undefined && versionOf(state.object) !== versionOf(after);
  const ownership = isWritten ? ownershipChanges(state.object, after) : [];
  const step: RaceStep = {
    ...{ number, time, actor, request, lost, ownership },
    answer: { code, ...(status === undefined ? {} : { status }), ...(own === undefined ? {} : { resourceVersion: versionOf(own) }) },
    summary: summaryOf(state, exchange, { status, after, lost, ownership }),
    explanation: isSuccess(code) ? [] : explanationOf(status),
  };
  return { ...afterChange(state, after, { actor, time, step: number }), copies, steps: [...state.steps, step] };
}

/** The race with the object as it is now: what changed it was no step, unless it is said. */
export function afterChange(
  state: RaceState,
  after: KubeObject | undefined,
  by: { readonly actor: string; readonly time: string; readonly step?: number },
): RaceState {
  const last = state.versions.at(-1);
  if (after === undefined)
    return last?.isDeletion === true
      ? state
      : {
          ...state,
          object: undefined,
          versions: [...state.versions, { ...by, resourceVersion: versionOf(state.object), isDeletion: true }],
        };
  if (last?.isDeletion !== true && last?.resourceVersion === versionOf(after)) return { ...state, object: after };
  return { ...state, object: after, versions: [...state.versions, { ...by, resourceVersion: versionOf(after) }] };
}

const isSuccess = (code: number): boolean => code >= 200 && code < 300;

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && value.kind !== "Status" && isObject(value.metadata) && typeof value.metadata.resourceVersion === "string";

/** An answer may be another object, such as a Pod that was created beside. */
const isSame = (answer: KubeObject, { object, first }: RaceState, after: KubeObject | undefined): boolean =>
  answer.kind === first.kind && answer.metadata?.name === (after ?? object ?? first).metadata?.name;

/** What others set after the actor had read, and what is not so any more. */
function lostFields({ object, first, copies }: RaceState, actor: string, after: KubeObject | undefined): readonly string[] {
  const read = copies.get(actor)?.object ?? first;
  if (object === undefined || after === undefined || versionOf(read) === versionOf(object)) return [];
  const since = changedLeaves(read, object).map(({ path }) => formatSteps(path));
  const now = changedLeaves(object, after).map(({ path }) => formatSteps(path));
  return since.filter(
    (field) => !field.startsWith(".metadata.generation") && now.some((one) => isWithin(one, field) || isWithin(field, one)),
  );
}

const isWithin = (field: string, outer: string): boolean =>
  field === outer || (field.startsWith(outer) && /^[.[]/.test(field.slice(outer.length)));

const isApply = ({ contentType = "" }: RaceExchangeRequest): boolean => contentType.startsWith("application/apply-patch");

interface Found {
  readonly status: Status | undefined;
  readonly after: KubeObject | undefined;
  readonly lost: readonly string[];
  readonly ownership: RaceStep["ownership"];
}

function summaryOf(state: RaceState, { actor, request, code, answer }: Exchange, { status, after, lost, ownership }: Found): string {
  if (!isSuccess(code)) {
    const what = request.method === "GET" ? "cannot read it" : "is refused";
    return `${actor} ${what}: ${code} ${status?.reason ?? ""}`.trim();
  }
  if (request.method === "GET") return `${actor} reads version ${isKubeObject(answer) ? versionOf(answer) : ""}`;
  if (after === undefined) return `${actor} deletes it`;
  if (isKubeObject(answer) && !isSame(answer, state, after)) return `${actor} creates ${answer.kind} ${answer.metadata?.name}`;
  const did = `${actor} ${state.object === undefined ? "creates it again" : didOf(request)}`;
  const version = versionOf(after);
  if (version === versionOf(state.object)) return `${did}, and nothing changes: it is still version ${version}`;
  const owned = isApply(request) ? ownersText(ownership) : "";
  const gone = lost.length === 0 ? "" : `, and what another had set is lost: ${lost.join(", ")}`;
  return `${did}: version ${version}${owned}${gone}`;
}

function didOf(request: RaceExchangeRequest): string {
  const { method, path, body } = request;
  const what = /\/status(?:\?|$)/.test(path) ? "the status" : "it";
  switch (method) {
    case "PUT":
      return `writes ${what}`;
    case "PATCH":
      return isApply(request) ? "applies" : `patches ${what}`;
    case "DELETE":
      return "marks it for deletion";
    default: {
      const target = isObject(body) && isObject(body.target) ? body.target.name : undefined;
      return typeof target === "string" ? `binds it to ${target}` : "changes it";
    }
  }
}

function ownersText([first, ...more]: RaceStep["ownership"]): string {
  if (first === undefined) return "";
  const { field, to } = first;
  const owners = to.length === 0 ? "nobody owns" : to.length === 1 ? `${to[0]} owns` : `${to.join(" and ")} own`;
  return `, ${owners} ${field}${more.length === 0 ? "" : ` and ${more.length} more`}`;
}

/** A line for the message, and one for each cause that the message does not name. */
function explanationOf(status: Status | undefined): readonly string[] {
  if (status === undefined) return [];
  const { message = "", details } = status;
  // Messages of appliers' conflicts and of what is invalid name them already.
  const causes = (details?.causes ?? [])
    .filter(({ field = "", message: why = "" }) => !message.includes(field) || !message.includes(why))
    .map(({ field, message: why = "" }) => (field === undefined ? why : `${field}: ${why}`));
  return [message, ...causes];
}
