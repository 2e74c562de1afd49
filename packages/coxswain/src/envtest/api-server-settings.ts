/** What the flags of kube-apiserver come to. */
import { readFileSync } from "node:fs";
import { type AdmissionChoice, type FlowControlOptions, readSigningKey, type ServiceIpRanges } from "@coxswain/apiserver";
import { checkAdvertised, serviceIpRangesOf } from "../access/service-ip-ranges.ts";
import { type AggregationSettings, aggregationSettingsOf } from "../options/aggregation-options.ts";
import type { AuditSettings } from "../options/audit-options.ts";
import type { AuthenticationSettings } from "../options/authentication-options.ts";
import type { AuthorizationSettings } from "../options/authorization-options.ts";
import type { Options } from "../options/cluster-options.ts";
import type { ServingSettings } from "../options/serving-options.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { admissionOf } from "./admission-plugins.ts";
import { auditOf } from "./audit-settings.ts";
import { authenticationSettingsOf } from "./authentication-settings.ts";
import { authorizationOf } from "./authorization-settings.ts";
import { booleanOf, type Flags, lastOf } from "./parse-flags.ts";
import { servingOf } from "./serving-settings.ts";

/** With what the server is made; files are read, but for those with which it serves. */
export interface ApiServerSettings {
  readonly address: string;
  readonly port: number;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly certDir: string | undefined;
  readonly authentication: AuthenticationSettings;
  readonly tokenAuthFile: string | undefined;
  readonly authorization: AuthorizationSettings;
  readonly audit: AuditSettings | undefined;
  readonly serving: ServingSettings | undefined;
  readonly aggregation: AggregationSettings | undefined;
  readonly flowControl: FlowControlOptions;
  readonly admission: AdmissionChoice;
  readonly admissionConfig: string | undefined;
  /** In PEM. */
  readonly serviceAccountKey: string | undefined;
  readonly advertiseAddress: string | undefined;
  readonly serviceIpRanges: ServiceIpRanges;
  readonly serviceNodePortRange: string | undefined;
  readonly logLevel: Options["logLevel"];
}

/** From which verbosity of klog on everything is logged. */
const debugVerbosity = 4;

/** @throws StartError */
export function settingsOf(flags: Flags): ApiServerSettings {
  return {
    // kube-apiserver listens on every address by default; only the test has to reach this one.
    address: lastOf(flags, "bind-address") ?? "127.0.0.1",
    port: portOf(lastOf(flags, "secure-port") ?? "6443"),
    certFile: lastOf(flags, "tls-cert-file"),
    keyFile: lastOf(flags, "tls-private-key-file"),
    certDir: lastOf(flags, "cert-dir"),
    authentication: authenticationSettingsOf(flags),
    tokenAuthFile: lastOf(flags, "token-auth-file"),
    authorization: authorizationOf(flags),
    audit: auditOf(flags),
    serving: servingOf(flags),
    aggregation: aggregationSettingsOf({
      proxyClientCertFile: lastOf(flags, "proxy-client-cert-file"),
      proxyClientKeyFile: lastOf(flags, "proxy-client-key-file"),
      aggregatorRejectForwardingRedirect: booleanOf(flags, "aggregator-reject-forwarding-redirect"),
      enableAggregatorRouting: booleanOf(flags, "enable-aggregator-routing"),
    }),
    flowControl: flowControlOf(flags),
    admission: admissionOf(flags),
    admissionConfig: lastOf(flags, "admission-control-config-file"),
    serviceAccountKey: signingKeyOf(flags),
    advertiseAddress: lastOf(flags, "advertise-address"),
    serviceIpRanges: serviceIpRanges(flags),
    serviceNodePortRange: lastOf(flags, "service-node-port-range"),
    logLevel: Number(lastOf(flags, "v") ?? 0) >= debugVerbosity ? "debug" : "info",
  };
}

function flowControlOf(flags: Flags): FlowControlOptions {
  const count = (name: string, otherwise: number): number => {
    const text = lastOf(flags, name) ?? String(otherwise);
    if (/^-\d+$/.test(text)) throw new StartError(`--${name} can not be negative value`);
    if (!/^\d{1,9}$/.test(text)) throw new StartError(`--${name} ${text} is no number`);
    return Number(text);
  };
  const [reading, writing] = [count("max-requests-inflight", 400), count("max-mutating-requests-inflight", 200)];
  const enablePriorityAndFairness = lastOf(flags, "enable-priority-and-fairness") !== "false";
  if (enablePriorityAndFairness && reading + writing === 0)
    throw new StartError(
      "invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive",
    );
  return { enablePriorityAndFairness, maxRequestsInflight: reading, maxMutatingRequestsInflight: writing };
}

/** What kube-apiserver takes where none is named. */
const defaultServiceRange = "10.0.0.0/24";

function serviceIpRanges(flags: Flags): ServiceIpRanges {
  const ranges = serviceIpRangesOf({
    serviceClusterIpRange: (lastOf(flags, "service-cluster-ip-range") || defaultServiceRange).split(","),
  });
  checkAdvertised(ranges, lastOf(flags, "advertise-address"));
  return ranges;
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw new StartError(`--secure-port ${text} is no port`);
  return port;
}

function fileOf(flags: Flags, name: string): string | undefined {
  const path = lastOf(flags, name);
  try {
    return path === undefined ? undefined : readFileSync(path, "utf8");
  } catch (error) {
    throw startErrorOf(`cannot read --${name}`, error);
  }
}

function signingKeyOf(flags: Flags): string | undefined {
  const pem = fileOf(flags, "service-account-signing-key-file");
  try {
    if (pem !== undefined) readSigningKey(pem);
    return pem;
  } catch (error) {
    throw startErrorOf("cannot use --service-account-signing-key-file", error);
  }
}
