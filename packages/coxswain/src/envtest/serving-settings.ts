/** What the flags of kube-apiserver say about serving requests. */
import { parseServingFlag, type ServingSettings, servingSettingsOf } from "../options/serving-options.ts";
import { StartError } from "../process/start-error.ts";
import { booleanOf, type Flags, lastOf } from "./parse-flags.ts";

/** @throws StartError in Kubernetes' words */
export function servingOf(flags: Flags): ServingSettings | undefined {
  const numberOf = (name: Parameters<typeof parseServingFlag>[0]): number | undefined => {
    const text = lastOf(flags, name);
    if (text === undefined) return undefined;
    const value = parseServingFlag(name, text);
    if (typeof value === "string")
      throw new StartError(value.startsWith("--") ? value : `invalid argument "${text}" for "--${name}" flag: ${value}`);
    return value;
  };
  numberOf("livez-grace-period");
  return servingSettingsOf({
    goawayChance: numberOf("goaway-chance"),
    requestTimeout: numberOf("request-timeout"),
    minRequestTimeout: numberOf("min-request-timeout"),
    shutdownDelayDuration: numberOf("shutdown-delay-duration"),
    shutdownSendRetryAfter: booleanOf(flags, "shutdown-send-retry-after"),
    http2MaxStreamsPerConnection: numberOf("http2-max-streams-per-connection"),
  });
}
