/**
 * `kube-apiserver` as envtest starts it: the API server of coxswain with the flags of Kubernetes' one. Its state is in memory, and no
 * controllers run, as with envtest.
 */

import { hostname } from "node:os";
import { type Authenticator, createServer, Metrics, type ServerOptions, tokenAuthenticator, versionInfo } from "@coxswain/apiserver";
import { messageOf, systemClock, systemRandom } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import type { pino } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { configureAdmission } from "../access/admission-config.ts";
import { openAggregation } from "../access/aggregation.ts";
import { openAudit } from "../access/audit.ts";
import { type FollowedAuthentication, followAuthenticationFiles } from "../access/authentication.ts";
import { type OpenAuthorization, openAuthorization } from "../access/authorization.ts";
import { tokenFileUsers } from "../access/users.ts";
import type { AuthenticationSettings } from "../options/authentication-options.ts";
import { isLoopback } from "../pki/served-names.ts";
import { createLog } from "../process/log.ts";
import { platformName } from "../process/process.ts";
import { StartError } from "../process/start-error.ts";
import { stopOnRequest } from "../process/stop-on-request.ts";
import { checkAdmissionPlugins } from "./admission-plugins.ts";
import { apiServerFlagNames, checkFlags } from "./api-server-flags.ts";
import { type ApiServerSettings, settingsOf } from "./api-server-settings.ts";
import { parentGone, removeFolderOfEnvtest } from "./end-with-parent.ts";
import { parseFlags } from "./parse-flags.ts";
import { servingPair } from "./serving-pair.ts";

/** Runs until a signal comes or its parent is gone. @throws StartError */
export async function runKubeApiServer(args: readonly string[]): Promise<void> {
  const flags = parseFlags("kube-apiserver", args, apiServerFlagNames);
  const version = versionInfo(manifest.version, platformName());
  if (flags.has("version")) return void process.stdout.write(`Kubernetes ${version.gitVersion}\n`);
  const settings = settingsOf(flags);
  const log = createLog(settings);
  checkFlags(flags, log);
  checkAdmissionPlugins(flags);
  const metrics = new Metrics({ startedAt: systemClock.now() / 1000, build: version, serverId: hostname() });
  const at = { clock: systemClock, log, metrics };
  await using authentication = await followAuthenticationFiles(withoutAnonymous(settings, log), {
    ...at,
    anonymous: { enabled: !allowsEverything(settings) },
    isPublished: settings.authentication.clientCaFile !== undefined,
  });
  await using authorization = await openAuthorization(settings.authorization, at);
  await using audit = await openAudit(settings.audit, { ...at, random: systemRandom });
  await using aggregation = await openAggregation(settings.aggregation, {
    ...at,
    loopback: isLoopback(settings.address),
    hasClusterIps: false,
  });
  const admission = await configureAdmission(settings.admission, settings.admissionConfig);
  const server = await createServer({
    ...serverOptions(settings, { authentication, authorization }, { log, metrics }),
    ...{ ...audit.server, ...aggregation.server },
    flowControl: settings.flowControl,
    admission,
  });
  await listen(server, settings);
  log.info({ address: settings.address, port: settings.port }, "serving");
  stopOnRequest(() => server.close(), { log });
  await parentGone(systemClock);
  await server.close();
  removeFolderOfEnvtest(settings.certDir);
  process.exit(0);
}

/** What a file says makes no difference to that, as there. */
const allowsEverything = ({ authorization: { modes = [] } }: ApiServerSettings): boolean => modes.includes("AlwaysAllow");

/** Where everybody may do everything, somebody has to be known. */
function withoutAnonymous(settings: ApiServerSettings, log: pino.Logger): AuthenticationSettings {
  const { authentication } = settings;
  if (!allowsEverything(settings) || authentication.anonymousAuth !== true) return authentication;
  log.warn({}, "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false.");
  return { ...authentication, anonymousAuth: false };
}

interface Access {
  readonly authentication: FollowedAuthentication;
  readonly authorization: OpenAuthorization;
}

interface Observe {
  readonly log: pino.Logger;
  readonly metrics: Metrics;
}

/** @throws StartError */
function serverOptions(settings: ApiServerSettings, { authentication, authorization }: Access, { log, metrics }: Observe): ServerOptions {
  const { serviceAccountKey, advertiseAddress, serviceIpRanges, serviceNodePortRange } = settings;
  const platform = platformName();
  return {
    store: createMemoryStore({ clock: systemClock }),
    clock: systemClock,
    random: systemRandom,
    log,
    authenticators: authenticatorsOf(settings, log),
    ...authentication.server,
    metrics,
    tls: servingPair(settings, systemClock.now()),
    serving: settings.serving,
    serviceClusterIpRange: serviceIpRanges.cidrs,
    serviceNodePortRange,
    version: manifest.version,
    platform,
    offload: "thread",
    ...authorization.server,
    ...(serviceAccountKey === undefined ? {} : { serviceAccountKey }),
    ...(advertiseAddress === undefined ? {} : { advertiseAddress }),
  };
}

function authenticatorsOf({ tokenAuthFile }: ApiServerSettings, log: pino.Logger): Authenticator[] {
  const users = tokenAuthFile === undefined ? [] : tokenFileUsers(tokenAuthFile, (text) => log.warn({}, text));
  return users.length === 0 ? [] : [tokenAuthenticator(users)];
}

async function listen(server: Awaited<ReturnType<typeof createServer>>, { port, address }: ApiServerSettings): Promise<void> {
  try {
    await server.listen(port, address);
  } catch (error) {
    throw new StartError(`failed to listen on ${address} port ${port}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
