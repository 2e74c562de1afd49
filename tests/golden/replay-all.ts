/** Replays many scenarios, each in a namespace of its own. */
import { compareRecordings, type StepDifference } from "./difference.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import { type Recording, readRecording, readScenario, type Scenario } from "./scenario.ts";
import type { Server } from "./server.ts";

/** `concurrent`: at once those that may be, for each has a namespace of its own and waits most of its time. Otherwise one by one. */
export async function replayAll(server: Server, names: readonly string[], options: ReplayOptions): Promise<Recording[]> {
  const recordings = new Map<string, Recording>();
  const play = async (scenario: Scenario): Promise<void> => void recordings.set(scenario.name, await replay(server, scenario, options));
  const scenarios = names.map(readScenario);
  const alone = scenarios.filter((scenario) => scenario.alone || !options.concurrent);
  for (const scenario of alone) await play(scenario);
  await Promise.all(scenarios.filter((scenario) => !alone.includes(scenario)).map(play));
  return names.flatMap((name) => recordings.get(name) ?? []);
}

export interface Comparison {
  readonly differences: readonly StepDifference[];
  /** How many steps were compared. */
  readonly total: number;
}

export async function compareAll(server: Server, names: readonly string[], options: ReplayOptions): Promise<Comparison> {
  const recordings = await replayAll(server, names, options);
  return {
    differences: recordings.flatMap((actual) => compareRecordings(readRecording(actual.name), actual)),
    total: recordings.reduce((sum, { answers }) => sum + answers.length, 0),
  };
}
