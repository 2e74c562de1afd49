/** Runs a controller against a recording, as a test. */

import type { ReplayOptions, ReplayResult } from "../replay/controller/run-against.ts";
import { type OptionNames, validateOptions } from "./validation/options.ts";

const replayOptions: OptionNames<ReplayOptions> = { against: true, user: true, manager: true, until: true };

/**
 * Does again what was recorded: in virtual time and in its order, what all others wrote is written again, while this controller runs instead of the
 * recorded one. `outcome` says whether what went wrong has come again. The same recording and controller have the same result.
 * @throws RecordingError for a file that is no recording, UnknownControllerError where it is not clear who the recorded controller was
 */
export async function replayRecording(path: string, options: ReplayOptions): Promise<ReplayResult> {
  validateOptions("replayRecording", options, replayOptions);
  const { runAgainst } = await import("../replay/controller/run-against.ts");
  return await runAgainst(path, options);
}

/** The writes of a replay side by side, and what came of it, as `coxswain replay --against` prints it. */
export async function describeReplay(result: ReplayResult): Promise<string> {
  const { replayText } = await import("../replay/controller/replay-text.ts");
  return replayText(result);
}
