/** What the files in `scenarios/` and `expected/` hold, and where they are. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Json } from "./json.ts";

export interface Scenario {
  readonly name: string;
  /** It reads what other scenarios change, such as the list of all groups. */
  readonly alone?: boolean;
  /** Its server has these admission plugins besides the usual ones; `configuration` says by plugin what they are configured with. */
  readonly admission?: { readonly enable: readonly string[]; readonly configuration: Readonly<Record<string, Json>> };
  /** The addresses of Services in its server, as `--service-cluster-ip-range` names them. */
  readonly serviceClusterIpRange?: string;
  /**
   * A webhook runs beside it, with these answers by path; `${webhook.url}` and `${webhook.caBundle}` are for its steps. What it was
   * asked since is the answer to a step with the path `webhook.asked`.
   */
  readonly webhook?: Readonly<Record<string, ScriptedAnswer>>;
  readonly steps: readonly Step[];
}

/** What the webhook beside a scenario answers. */
export interface ScriptedAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The response of a proper AdmissionReview, beside its uid; a patch is given as JSON. */
  readonly response?: Readonly<Record<string, Json>>;
  /** Instead of that: sent as JSON, or as it is when it is a string; `${uid}` stands for the uid of the request. */
  readonly body?: Json;
  /** No answer comes. */
  readonly hangs?: true;
}

/** One request. `${ns}` stands for the namespace of the run, `${step.metadata.uid}` for a value of an earlier answer. */
export interface Step {
  readonly name: string;
  /** Default: GET. */
  readonly method?: string;
  readonly path: string;
  /** Content type of the body. Default: JSON. */
  readonly type?: string;
  /** Default: JSON. */
  readonly accept?: string;
  /** An empty `authorization` sends none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is when it is a string. */
  readonly body?: Json;
  /** The parts of the answer that count, by their paths: `metadata.name`. Default: all. */
  readonly keep?: readonly string[];
  /** Before the request. */
  readonly waitMs?: number;
  /** Repeats the request until its answer has this value or status code, for ten seconds at most. */
  readonly until?: { readonly path: string; readonly equals: Json } | { readonly status: number };
}

/** The normalised answers to one scenario. */
export interface Recording {
  readonly name: string;
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly step: string;
  /** 0 when the connection ended without an answer; `body` then says how. */
  readonly status: number;
  readonly type: string;
  readonly warnings?: readonly string[];
  readonly body?: Json;
  /** Fields on which two recordings did not agree: they are not compared. */
  readonly unstable?: readonly string[];
}

const directoryOf = (part: "scenarios" | "expected"): string => join(import.meta.dirname, part);

/** In alphabetical order. */
export const scenarioNames = (): string[] =>
  globSync(join(directoryOf("scenarios"), "*.json"))
    .map((file) => basename(file, ".json"))
    .sort();

export const scenarioFile = (name: string): string => join(directoryOf("scenarios"), `${name}.json`);
export const recordingFile = (name: string): string => join(directoryOf("expected"), `${name}.json`);

export const readScenario = (name: string): Scenario => JSON.parse(readFileSync(scenarioFile(name), "utf8"));
export const readRecording = (name: string): Recording => JSON.parse(readFileSync(recordingFile(name), "utf8"));
