/** `coxswain certs`: when the certificates of a server end, and new ones before that. */
import { statSync } from "node:fs";
import { type Clock, systemClock } from "@coxswain/machinery";
import { certificateReport, namedCertificates, renewCertificate } from "../access/certificate-report.ts";
import { type Owner, pemDirectory } from "../access/private-file.ts";
import { type CertsOptions, parseCertsOptions } from "../options/certs-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { certsText, dateText } from "./certs-text.ts";

export async function runCerts(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseCertsOptions(args, process.env, output));
  if (options === undefined) return;
  try {
    run(options, systemClock);
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? startErrorOf("cannot use the certificates", error) : error;
  }
}

function run(options: CertsOptions, clock: Clock): void {
  const { certDir, files, action, output } = options;
  const owner = statSync(certDir, { throwIfNoEntry: false });
  if (owner === undefined) throw new StartError(`there are no certificates in ${certDir}; a server makes them at its first start there`);
  if (action === "list") {
    const report = certificateReport(pemDirectory(certDir), files, clock.now());
    process.stdout.write(output === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : certsText(report));
  } else renew(options, clock, owner);
}

/** Each that can be, for the user that the server runs as. @throws StartError when there is one that cannot */
function renew({ certDir, files, names }: CertsOptions, clock: Clock, { uid, gid }: Owner): void {
  const self = process.getuid?.();
  if (self !== undefined && self !== 0 && self !== uid)
    throw new StartError(`another user owns ${certDir}: the server could not read what this one writes there`);
  const store = pemDirectory(certDir, self === 0 ? { uid, gid } : undefined);
  const refusals: string[] = [];
  for (const name of namedCertificates(names)) {
    try {
      const ends = renewCertificate(store, files, name, clock.now());
      process.stdout.write(`renewed ${name}, until ${dateText(ends)}\n`);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      refusals.push(error.message);
    }
  }
  if (refusals.length > 0) throw new StartError(refusals.join("\ncoxswain: "));
}
