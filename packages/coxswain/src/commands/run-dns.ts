/** `coxswain dns`: cluster DNS in a process of its own. */
import { readFileSync } from "node:fs";
import { type ForwardZone, nameServersIn, type RunningDns, type ServerAddress, startDns } from "@coxswain/dns";
import { systemClock, systemRandom } from "@coxswain/machinery";
import type { pino } from "pino";
import { connect } from "../components/run-standalone.ts";
import { serveMetrics } from "../components/serve-metrics.ts";
import { type DnsCommandOptions, type ForwardTarget, parseDnsOptions } from "../options/dns-options.ts";
import { createLog } from "../process/log.ts";
import { parseCommandLine } from "../process/process.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { stopOnRequest } from "../process/stop-on-request.ts";

export async function runDnsCommand(args: readonly string[]): Promise<void> {
  const options = parseCommandLine((output) => parseDnsOptions(args, output));
  if (options === undefined) return;
  const log = createLog(options);
  try {
    await serve(options, log);
  } catch (error) {
    if (error instanceof StartError) process.stderr.write(`coxswain: ${error.message}\n`);
    else log.error({ component: "dns", error }, "failed to run the component");
    process.exit(1);
  }
}

async function serve(options: DnsCommandOptions, log: pino.Logger): Promise<void> {
  const client = await connect(options, "coxswain-dns");
  const dns = await start(options, { client, clock: systemClock, random: systemRandom, log });
  stopOnRequest(
    async () => {
      await dns[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
    },
    { log },
  );
  log.info({ addresses: dns.addresses, port: dns.port }, "answering names");
  if (options.metricsPort !== undefined) log.info({ port: (await serveMetrics(dns, options.metricsPort)).port }, "serving metrics");
  dns.synced.then(
    () => log.info({}, "caches synced"),
    () => undefined,
  );
  await dns.ended;
}

type Parts = Pick<Parameters<typeof startDns>[0], "client" | "clock" | "random" | "log">;

/** @throws StartError */
async function start(options: DnsCommandOptions, parts: Parts): Promise<RunningDns> {
  const { listenAddresses, port, clusterDomain, pods, ttl, maxConcurrent, clusterDns, advertiseAddresses } = options;
  try {
    return await startDns({
      ...parts,
      listen: { addresses: listenAddresses, port },
      clusterDomain,
      pods,
      ttl,
      maxConcurrent,
      forward: forwardZones(options),
      ...(advertiseAddresses.length === 0 ? {} : { kubeDns: { clusterIps: clusterDns, addresses: advertiseAddresses } }),
    });
  } catch (error) {
    throw error instanceof StartError ? error : startErrorOf("cannot answer names", error);
  }
}

const forwardZones = ({ forward, stubDomains }: DnsCommandOptions): ForwardZone[] => [
  ...stubDomains.map(({ zone, servers }) => ({ zone: `${zone.toLowerCase()}.`, servers })),
  { zone: ".", servers: forward.flatMap(serversOf) },
];

/** @throws StartError */
function serversOf(target: ForwardTarget): readonly ServerAddress[] {
  if (target.kind === "server") return [target.server];
  try {
    return nameServersIn(readFileSync(target.path, "utf8"));
  } catch (error) {
    throw startErrorOf("cannot read the name servers", error);
  }
}
