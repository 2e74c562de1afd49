/** `coxswain replay`: a recording in a browser, for a command, or against a controller. */
import { messageOf, StatusError, systemClock } from "@coxswain/machinery";
import { parseReplayOptions, type ReplayOptions } from "../options/recording-options.ts";
import { startPastProxy } from "../past/past-proxy.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";
import { RecordingError } from "../recording/format.ts";
import { type LoadedRecording, loadRecording } from "../replay/load-recording.ts";
import { startRecordedServer } from "../replay/recorded-server.ts";
import { serveRecording } from "../replay/serve-recording.ts";
import { runOnPast, untilSignal } from "./run-at.ts";

export async function runReplay(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseReplayOptions(args, output));
  if (options === undefined) return;
  if (options.against !== undefined) return (await import("./run-replay-against.ts")).runReplayAgainst(options, options.against);
  try {
    using recording = loadRecording(options.file);
    if (!recording.isWhole)
      process.stderr.write(`coxswain: ${options.file} was not written to its end: what follows is up to ${timeOf(recording.until)}\n`);
    await show(recording, options);
  } catch (error) {
    if (error instanceof RecordingError || error instanceof StatusError) throw new StartError(messageOf(error), { cause: error });
    throw error;
  }
}

async function show(recording: LoadedRecording, { command, at = "" }: ReplayOptions): Promise<void> {
  await using server = await startRecordedServer(recording);
  if (command.length > 0) {
    const { resourceVersion } = await server.moment(at);
    await using proxy = await startPastProxy({ transport: server.transport, resourceVersion, clock: systemClock });
    return await runOnPast(proxy, "default", command);
  }
  await using served = await serveRecording(recording, server);
  process.stdout.write(`${aboutOf(recording)}\nIn a browser (the link opens it once, until Ctrl-C): ${served.link}\n`);
  await untilSignal();
}

function aboutOf({ header, until, changes, conflicts, faults }: LoadedRecording): string {
  const { reason, from, failure, omitted = [] } = header;
  return [
    `${reason}`,
    `${from.time} to ${timeOf(until)}: ${changes} changes, ${conflicts.length} conflicts, ${faults.length} faults`,
    ...(failure === undefined ? [] : [`What went wrong: ${failure.message}`]),
    ...(omitted.length === 0 ? [] : [`Not in it: ${omitted.join(", ")}`]),
  ].join("\n");
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
