/** Authorization as the options want it. */
import type { ServerOptions } from "@coxswain/apiserver";
import { type Clock, goQuote } from "@coxswain/machinery";
import type { AuthorizationSettings } from "../options/authorization-options.ts";
import { StartError } from "../process/start-error.ts";
import { reviewWebhookOf } from "./review-webhook.ts";

/** Holds the connections to its webhook until it is disposed of. */
export interface OpenAuthorization extends AsyncDisposable {
  readonly server: Pick<ServerOptions, "authorization">;
}

/** @throws StartError for a file that cannot be used, and for options that contradict each other */
export async function openAuthorization(settings: AuthorizationSettings | undefined, clock: Clock): Promise<OpenAuthorization> {
  if (settings === undefined) return { server: {}, [Symbol.asyncDispose]: async () => undefined };
  const { modes, webhook } = settings;
  if (!modes.includes("Webhook")) {
    if (webhook !== undefined) throw new StartError("cannot specify --authorization-webhook-config-file without mode Webhook");
    return { server: { authorization: { modes } }, [Symbol.asyncDispose]: async () => undefined };
  }
  if (webhook === undefined) throw new StartError("authorization-mode Webhook's authorization config file not passed");
  const { configFile, version, authorizedMs, unauthorizedMs } = webhook;
  if (version !== "v1" && version !== "v1beta1") {
    throw new StartError(`unsupported webhook authorizer version ${goQuote(version)}, supported versions are "v1", "v1beta1"`);
  }
  const asked = await reviewWebhookOf(configFile, "--authorization-webhook-config-file", clock);
  return {
    server: {
      authorization: { modes, webhook: { webhook: asked, version, authorizedMs, unauthorizedMs, onFailure: "noOpinion" } },
    },
    [Symbol.asyncDispose]: () => asked[Symbol.asyncDispose](),
  };
}
