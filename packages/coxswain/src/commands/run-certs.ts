/** `coxswain certs`: when the certificates of a server end, and new ones before that. */
import { existsSync } from "node:fs";
import { type Clock, systemClock } from "@coxswain/machinery";
import { certificateReport, namedCertificates, renewCertificate } from "../access/certificate-report.ts";
import { pemDirectory } from "../access/private-file.ts";
import { type CertsOptions, parseCertsOptions } from "../options/certs-options.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";
import { certsText, dateText } from "./certs-text.ts";

export async function runCerts(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseCertsOptions(args, process.env, output));
  if (options === undefined) return;
  const { certDir, files, action, output } = options;
  if (!existsSync(certDir)) throw new StartError(`there are no certificates in ${certDir}; a server makes them at its first start there`);
  if (action === "renew") return renew(options, systemClock);
  const report = certificateReport(pemDirectory(certDir), files, systemClock.now());
  process.stdout.write(output === "json" ? `${JSON.stringify(report, undefined, 2)}\n` : certsText(report));
}

/** Each that can be. @throws StartError when there is one that cannot */
function renew({ certDir, files, names }: CertsOptions, clock: Clock): void {
  const store = pemDirectory(certDir);
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
