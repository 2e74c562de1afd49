/** All scenarios, and what the real kubelet made of them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Recording } from "./play.ts";
import type { Scenario } from "./scenario.ts";
import { ends } from "./scenarios/ends.ts";
import { runs } from "./scenarios/runs.ts";
import { starts } from "./scenarios/starts.ts";

export const scenarios: readonly Scenario[] = [...ends, ...starts, ...runs];

const pathOf = (name: string): string => join(import.meta.dirname, "answers", `${name}.json`);

export const recordingOf = ({ name }: Scenario): Recording => JSON.parse(readFileSync(pathOf(name), "utf8")) as Recording;

export const write = ({ name }: Scenario, recording: Recording, folder?: string): void =>
  writeFileSync(folder === undefined ? pathOf(name) : join(folder, `${name}.json`), `${JSON.stringify(recording, undefined, 2)}\n`);
