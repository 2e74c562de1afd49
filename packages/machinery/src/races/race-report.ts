/** What `/coxswain/v1/races` answers: the races that there are, and one as it stands. */
import type { Status } from "../errors/status-object.ts";
import type { KubeObject } from "../meta/meta.ts";

/** Two clients, scheduler and kubelet, two appliers, two controllers. */
export type RaceName = "seat" | "pod" | "apply" | "loop";

/** An object to race for, and what is changed in it. */
export interface RaceSample {
  readonly title: string;
  readonly yaml: string;
  /** What each of the two sets, as in `.spec.replicas`; absent where that is not to be chosen. */
  readonly field?: string;
  /** As JSON: what the one sets, and the other. */
  readonly values?: readonly [string, string];
}

/** A race that can be begun. */
export interface RaceDefinition {
  readonly name: RaceName;
  readonly title: string;
  readonly description: string;
  /** The first is what it begins with unless another is chosen. */
  readonly samples: readonly RaceSample[];
}

/** The races that can be begun. */
export interface RaceList {
  readonly kind: "RaceList";
  readonly apiVersion: "coxswain/v1";
  readonly items: readonly RaceDefinition[];
}

/** What begins a race: `POST /coxswain/v1/races`. */
export interface RaceRequest extends Partial<Pick<RaceSample, "yaml" | "field" | "values">> {
  readonly race: RaceName;
}

/** Who takes part. */
export interface RaceActor {
  /** The field manager, and the user. */
  readonly name: string;
  readonly description: string;
  /** What they have read last; absent when they have read nothing. */
  readonly copy?: RaceCopy;
  /** The request that waits to be let through: of components, which decide themselves what to send. */
  readonly waiting?: RaceExchangeRequest;
}

/** An object as somebody has it. */
export interface RaceCopy {
  readonly resourceVersion: string;
  readonly isStale: boolean;
  /** Absent where it is in the memory of a component. */
  readonly object?: KubeObject;
  /** Of the field that is raced for. */
  readonly value?: unknown;
}

/** Who owns a field, by the managed fields of the object. */
export interface RaceFieldOwners {
  readonly field: string;
  /** Names of field managers; several may own a field while they agree. */
  readonly managers: readonly string[];
}

/** What a button does. */
export interface RaceAction {
  readonly id: string;
  readonly actor: string;
  readonly label: string;
  readonly description: string;
  /** Another way than the classic one. */
  readonly isAlternative?: boolean;
  /** Why it cannot be done now. */
  readonly unavailable?: string;
}

/** A request as it was sent. */
export interface RaceExchangeRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

/** A request and its answer. */
export interface RaceStep {
  /** From 1. */
  readonly number: number;
  /** RFC 3339, of the race's own time. */
  readonly time: string;
  readonly actor: string;
  readonly request: RaceExchangeRequest;
  readonly answer: {
    readonly code: number;
    /** Of an answer that is no object. */
    readonly status?: Status;
    /** Of the object that was answered. */
    readonly resourceVersion?: string;
  };
  /** What it comes to, as a sentence. */
  readonly summary: string;
  /** What the server says of a refusal, a line each. */
  readonly explanation: readonly string[];
  /** Fields that another had set since the writer's copy was read, and that have another value now. */
  readonly lost: readonly string[];
  /** Fields that have other owners now. */
  readonly ownership: readonly RaceOwnershipChange[];
}

/** A field that came to other field managers. */
export interface RaceOwnershipChange {
  readonly field: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** A version of the object. */
export interface RaceVersion {
  readonly resourceVersion: string;
  readonly time: string;
  /** Who wrote it. */
  readonly actor: string;
  /** Of the step that made it; absent for what was there before. */
  readonly step?: number;
  readonly isDeletion?: boolean;
}

/** What the controllers' own detector says of a hot loop. */
export interface RaceHotLoop {
  readonly writers: readonly string[];
  readonly field?: string;
  readonly writes: number;
  readonly withinMs: number;
}

/** A race as it stands. */
export interface RaceReport {
  readonly kind: "Race";
  readonly apiVersion: "coxswain/v1";
  readonly metadata: { readonly name: string };
  readonly race: RaceName;
  /** What each of the two sets, if it is a field. */
  readonly field?: string;
  /** RFC 3339: the race's own time, which passes with its steps. */
  readonly time: string;
  /** As the store has it; absent when it is deleted. */
  readonly object?: KubeObject;
  /** Of the field that is raced for. */
  readonly value?: unknown;
  readonly owners: readonly RaceFieldOwners[];
  readonly actors: readonly RaceActor[];
  readonly actions: readonly RaceAction[];
  /** Those after the step that was asked for. */
  readonly steps: readonly RaceStep[];
  readonly versions: readonly RaceVersion[];
  /** The actions of the classic order, and how many of them were done, in this order and nothing else: absent when something else was. */
  readonly classic: { readonly actions: readonly string[]; readonly done?: number };
  readonly hotLoop?: RaceHotLoop;
}
