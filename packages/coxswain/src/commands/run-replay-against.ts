/** `coxswain replay --against`: a controller against a recording. */
import { messageOf, stringifyJson } from "@coxswain/machinery";
import type { ReplayOptions } from "../options/recording-options.ts";
import { StartError } from "../process/start-error.ts";
import { RecordingError } from "../recording/format.ts";
import { loadController } from "../replay/controller/load-controller.ts";
import { UnknownControllerError } from "../replay/controller/recorded-controller.ts";
import { replayText } from "../replay/controller/replay-text.ts";
import { runAgainst } from "../replay/controller/run-against.ts";

/** As diff has it, the exit code 1 says that something is wrong, and 2 that it is not known. */
export async function runReplayAgainst({ file, as: user, manager, until, output }: ReplayOptions, module: string): Promise<void> {
  try {
    const result = await runAgainst(file, { against: await loadController(module), user, manager, until });
    const { error, ...shown } = result;
    process.stdout.write(output === "json" ? `${stringifyJson(shown, 2)}\n` : replayText(result));
    if (error !== undefined) throw error;
    process.exitCode = result.outcome.cameAgain ? 1 : 0;
  } catch (error) {
    process.stderr.write(`coxswain: ${isForUsers(error) ? messageOf(error) : ((error as Error).stack ?? messageOf(error))}\n`);
    process.exitCode = 2;
  }
}

const isForUsers = (error: unknown): boolean =>
  [RecordingError, StartError, UnknownControllerError, RangeError].some((kind) => error instanceof kind) || !(error instanceof Error);
