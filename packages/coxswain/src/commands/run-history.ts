/** `coxswain history` and `coxswain blame`: who has written an object, and each of its fields. */
import { systemClock } from "@coxswain/machinery";
import { parseBlameOptions, parseHistoryOptions, type ReportOptions } from "../options/past-options.ts";
import { blameText, historyText } from "../past/history-text.ts";
import { choosePastServer, type PastObjectRef, PastServer } from "../past/past-server.ts";
import { parseCommandLine } from "../process/process.ts";

export async function runHistory(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseHistoryOptions(args, output));
  if (options === undefined) return;
  await report(
    options,
    (server, object) => server.history(object, options),
    (made, shown) => historyText(made, shown),
  );
}

export async function runBlame(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseBlameOptions(args, output));
  if (options === undefined) return;
  await report(
    options,
    (server, object) => server.blame(object, options.at),
    (made, shown) => blameText(made, shown),
  );
}

async function report<R extends object>(
  options: ReportOptions,
  ask: (server: PastServer, object: PastObjectRef) => Promise<R>,
  textOf: (made: R, shown: { readonly now: number; readonly isSecret: boolean }) => string,
): Promise<void> {
  await using server = new PastServer(await choosePastServer(options, process.env), "coxswain-history");
  const object = await server.find(options);
  const made = await ask(server, object);
  const { group, resource } = object.resource;
  const isSecret = group === "" && resource === "secrets";
  process.stdout.write(
    options.output === "json" ? `${JSON.stringify(made, undefined, 2)}\n` : textOf(made, { now: systemClock.now(), isSecret }),
  );
}
