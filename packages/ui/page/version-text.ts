/** A version in words. */
import type { ObjectVersion } from "@coxswain/machinery";
import { clockTime } from "./element.ts";
import { whoOf } from "./fights.ts";

export function describe(version: ObjectVersion): string {
  const { resourceVersion, time, readResourceVersion } = version;
  const read = readResourceVersion === undefined ? "" : `, based on ${readResourceVersion}`;
  return `${resourceVersion}: ${verbOf(version)} by ${whoOf(version)} at ${timeText(time)}${read}`;
}

export const verbOf = ({ verb, operation }: ObjectVersion): string => verb ?? operation;

export const timeText = (time: string | undefined): string => (time === undefined ? "before it was recorded" : clockTime(Date.parse(time)));
