/** How webhooks and extension servers are reached: options that are called as kube-apiserver's. */
import type { Command } from "commander";
import { parseBoolean } from "./parse-values.ts";

/** What the options of aggregation come to; the files are not read yet. */
export interface AggregationSettings {
  /** The client certificate for extension servers, instead of one that is made. */
  readonly proxyClient?: { readonly certFile?: string | undefined; readonly keyFile?: string | undefined } | undefined;
  readonly forwardRedirects: boolean;
  /** Whether Services are reached at their endpoints; false: at their cluster IPs. Default: where something answers. */
  readonly routesToEndpoints?: boolean;
}

export interface ParsedAggregationOptions {
  readonly proxyClientCertFile?: string | undefined;
  readonly proxyClientKeyFile?: string | undefined;
  readonly aggregatorRejectForwardingRedirect?: boolean | undefined;
  readonly enableAggregatorRouting?: boolean | undefined;
}

export const addAggregationOptions = (command: Command): Command =>
  command
    .option("--proxy-client-cert-file <file>", "by what extension servers know it (default: a certificate of its front-proxy authority)")
    .option("--proxy-client-key-file <file>", "the key of that")
    .option("--aggregator-reject-forwarding-redirect [boolean]", "whether clients learn nothing of where those redirect to", parseBoolean)
    .option(
      "--enable-aggregator-routing [boolean]",
      "whether the Services of webhooks and extension servers are reached at their endpoints; false: at their cluster IPs (default: those where its own Service proxy leads from them)",
      parseBoolean,
    );

/** Undefined without any of the options. */
export function aggregationSettingsOf(parsed: ParsedAggregationOptions): AggregationSettings | undefined {
  const { proxyClientCertFile: certFile, proxyClientKeyFile: keyFile, aggregatorRejectForwardingRedirect: rejects } = parsed;
  const { enableAggregatorRouting: routesToEndpoints } = parsed;
  if ([certFile, keyFile, rejects, routesToEndpoints].every((one) => one === undefined)) return undefined;
  return {
    ...(certFile === undefined && keyFile === undefined ? {} : { proxyClient: { certFile, keyFile } }),
    forwardRedirects: rejects === false,
    ...(routesToEndpoints === undefined ? {} : { routesToEndpoints }),
  };
}
