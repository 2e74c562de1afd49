/** `coxswain diff`: an object at two moments. */
import { parseDiffOptions } from "../options/past-options.ts";
import { shownName } from "../past/find-resource.ts";
import { objectDiff } from "../past/object-diff.ts";
import { choosePastServer, PastServer } from "../past/past-server.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";

export async function runDiff(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseDiffOptions(args, output));
  if (options === undefined) {
    if (process.exitCode === 1) process.exitCode = 2;
    return;
  }
  try {
    await using server = new PastServer(await choosePastServer(options, process.env), "coxswain-diff");
    const ref = await server.find(options);
    const name = shownName(ref.resource, ref.name);
    const states = [];
    for (const at of [options.from, options.to])
      states.push({ title: `${name} ${at === undefined ? "now" : `at ${at}`}`, object: await server.objectAt(ref, at) });
    const [before, after] = states;
    if (before === undefined || after === undefined || (before.object === undefined && after.object === undefined))
      throw new StartError(`there was no ${name} at either moment`);
    const diff = await objectDiff(before, after);
    process.stdout.write(diff);
    process.exitCode = diff === "" ? 0 : 1;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // As diff and kubectl diff have it, 1 says that something differs.
    process.stderr.write(`coxswain: ${error.message}\n`);
    process.exitCode = 2;
  }
}
