/** Replays many scenarios, each in a namespace of its own. */
import { compareRecordings, type StepDifference } from "./difference.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import { notCompared, type Recording, readRecording, readScenario } from "./scenario.ts";
import type { Server } from "./server.ts";

/** `concurrent`: all at once, for each has a namespace of its own and waits most of its time. Otherwise one after the other. */
export async function replayAll(server: Server, names: readonly string[], options: ReplayOptions): Promise<Recording[]> {
  const play = (name: string): Promise<Recording> => replay(server, readScenario(name), options);
  if (options.concurrent) return Promise.all(names.map(play));
  const recordings: Recording[] = [];
  for (const name of names) recordings.push(await play(name));
  return recordings;
}

export interface Comparison {
  readonly differences: readonly StepDifference[];
  /** How many steps were compared. */
  readonly total: number;
}

export async function compareAll(server: Server, names: readonly string[], options: ReplayOptions): Promise<Comparison> {
  const recordings = await replayAll(
    server,
    names.filter((name) => !notCompared.has(name)),
    options,
  );
  return {
    differences: recordings.flatMap((actual) => compareRecordings(readRecording(actual.name), actual)),
    total: recordings.reduce((sum, { answers }) => sum + answers.length, 0),
  };
}
