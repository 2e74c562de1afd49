/** `coxswain record`: what happens in a cluster, into a file. */

import type { DiscoveredResource } from "@coxswain/client";
import { type Clock, StatusError, sleep, systemClock } from "@coxswain/machinery";
import manifest from "../../package.json" with { type: "json" };
import { parseRecordOptions, type RecordOptions } from "../options/recording-options.ts";
import { findResource } from "../past/find-resource.ts";
import { choosePastServer, PastServer, sentenceOf } from "../past/past-server.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";
import { RecordingError } from "../recording/format.ts";
import { ServerRecording } from "../recording/server-recording.ts";

/** What happens is asked for so often. */
const pollMs = 500;

export async function runRecord(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseRecordOptions(args, output));
  if (options === undefined) return;
  await using server = new PastServer(await choosePastServer(options, process.env), "coxswain-record");
  try {
    await record(server, options);
  } catch (error) {
    throw error instanceof RecordingError ? new StartError(error.message, { cause: error }) : sentenceOf(error);
  }
}

async function record(server: PastServer, options: RecordOptions): Promise<void> {
  const { client, namespace } = server;
  const { out, since, from = since, to, withSecrets = false, why = "coxswain record" } = options;
  // Says in a sentence what it cannot do, before there is a file.
  await server.moment(to ?? "");
  const resources = options.resources === undefined ? undefined : await resourcesOf(server, options.resources);
  using recording = await ServerRecording.begin({
    ...{ client, path: out, from, withSecrets },
    scope: { namespaces: options.namespace, resources, ownNamespace: namespace },
    facts: { coxswain: manifest.version, made: new Date(systemClock.now()).toISOString(), source: "server", time: "real", reason: why },
  });
  const { omitted = [], from: begun } = recording.header;
  if (omitted.length > 0 && resources === undefined)
    process.stderr.write(`coxswain: not in it, for want of rights: ${omitted.join(", ")}\n`);
  const isOver = from !== undefined && options.for === undefined;
  if (isOver || to !== undefined) await recording.catchUp(to === undefined ? undefined : await recording.moment(to));
  else await follow(recording, options.for, systemClock);
  recording.end(systemClock.now());
  process.stdout.write(`${out} has ${recording.records} records since resourceVersion ${begun.resourceVersion}, of ${begun.time}\n`);
}

/** Until it is time, or a signal comes. A server that does not answer for a while is asked again. */
async function follow(recording: ServerRecording, forMs: number | undefined, clock: Clock): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort(new Error("a signal ends it")));
  using _timer = forMs === undefined ? undefined : clock.schedule(forMs, () => stop.abort(new Error("it is time")));
  if (forMs === undefined) process.stderr.write("coxswain: recording, until Ctrl-C ends it\n");
  while (!stop.signal.aborted) {
    await recording.catchUp().catch((error: unknown) => {
      if (error instanceof StatusError && error.code < 500 && error.code !== 429) throw error;
      process.stderr.write(`coxswain: the server does not answer: ${sentenceOf(error).message}\n`);
    });
    await sleep(clock, pollMs, stop.signal).catch(() => undefined);
  }
  await recording.catchUp();
}

async function resourcesOf({ client }: PastServer, words: readonly string[]): Promise<readonly DiscoveredResource[]> {
  const { resources } = await client.discover();
  return words.map((word) => {
    const found = findResource(resources, word);
    if (found === undefined) throw new StartError(`the server doesn't have a resource type ${JSON.stringify(word)}`);
    return found;
  });
}
