/** What the flags of kube-apiserver say about authorization. */
import { parseGoDuration } from "@coxswain/machinery";
import { type AuthorizationSettings, authorizationModesOf, authorizationSettingsOf } from "../options/authorization-options.ts";
import { StartError } from "../process/start-error.ts";
import { type Flags, lastOf, listOf } from "./parse-flags.ts";

/** Without any of them everybody may do everything, as there. @throws StartError in Kubernetes' words */
export function authorizationOf(flags: Flags): AuthorizationSettings {
  const settings = authorizationSettingsOf({
    authorizationConfig: lastOf(flags, "authorization-config"),
    authorizationMode: modesOf(flags),
    authorizationWebhookConfigFile: lastOf(flags, "authorization-webhook-config-file"),
    authorizationWebhookVersion: lastOf(flags, "authorization-webhook-version"),
    authorizationWebhookCacheAuthorizedTtl: durationOf(flags, "authorization-webhook-cache-authorized-ttl"),
    authorizationWebhookCacheUnauthorizedTtl: durationOf(flags, "authorization-webhook-cache-unauthorized-ttl"),
  });
  return settings ?? {};
}

function modesOf(flags: Flags): AuthorizationSettings["modes"] {
  const names = listOf(flags, "authorization-mode");
  if (names.length === 0) return lastOf(flags, "authorization-config") === undefined ? ["AlwaysAllow"] : undefined;
  if (names.includes("ABAC")) throw new StartError("--authorization-mode=ABAC cannot be had: there is no ABAC");
  const modes = authorizationModesOf(names);
  if (typeof modes === "string") throw new StartError(modes);
  return modes;
}

function durationOf(flags: Flags, name: string): number | undefined {
  const text = lastOf(flags, name);
  const duration = text === undefined ? undefined : parseGoDuration(text);
  if (typeof duration === "string") throw new StartError(`invalid argument ${JSON.stringify(text)} for "--${name}" flag: ${duration}`);
  return duration;
}
