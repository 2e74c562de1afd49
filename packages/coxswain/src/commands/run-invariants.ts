/** `coxswain invariants`: which invariants of a server do not hold, since when, and by whose write. */
import { type InvariantReport, systemClock } from "@coxswain/machinery";
import { parseInvariantsOptions } from "../options/past-options.ts";
import { invariantsText } from "../past/invariants-text.ts";
import { choosePastServer, PastServer } from "../past/past-server.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";

export async function runInvariants(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseInvariantsOptions(args, output));
  if (options === undefined) return;
  await using server = new PastServer(await choosePastServer(options, process.env), "coxswain-invariants");
  const report = await server.invariants();
  const shown = options.invariant === undefined ? report : ofOne(report, options.invariant);
  process.stdout.write(
    options.output === "json"
      ? `${JSON.stringify(shown, undefined, 2)}\n`
      : invariantsText(shown, { now: systemClock.now(), hasChains: options.invariant !== undefined }),
  );
}

/** @throws StartError for one that is not checked */
function ofOne(report: InvariantReport, name: string): InvariantReport {
  const invariants = report.invariants.filter((one) => one.name === name);
  if (invariants.length === 0) throw new StartError(`the server checks no invariant ${JSON.stringify(name)}`);
  return { ...report, invariants, violations: report.violations.filter(({ invariant }) => invariant === name) };
}
