/** An AuthorizationConfiguration, read and checked. What it takes is loaded with the first one: most servers have none. */
import { messageOf } from "@coxswain/machinery";
import type { AuthorizationWebhookOptions } from "../../contracts/authorization-webhook.ts";
import type { AuthorizationMode } from "./validate.ts";

/** One of those that are asked, in a configuration in which nothing is wrong. */
export interface LoadedAuthorizer {
  readonly type: AuthorizationMode;
  /** As metrics call it. */
  readonly name: string;
  /** Of the type Webhook. */
  readonly webhook?: LoadedWebhook | undefined;
}

/** How a webhook is asked; who asks opens the file. */
export type LoadedWebhook = Omit<AuthorizationWebhookOptions, "webhook"> & { readonly kubeConfigFile: string };

/** Reads a document in YAML or JSON. @throws Error in Kubernetes' words */
export async function loadAuthorizationConfiguration(text: string): Promise<LoadedAuthorizer[]> {
  const [{ parseAuthorizationConfiguration }, { checkAuthorizers }, { compileMatchCondition, matchConditionsOf }] = await Promise.all([
    import("./document.ts"),
    import("./validate.ts"),
    import("./match-conditions.ts"),
  ]);
  const { authorizers } = await parseAuthorizationConfiguration(text).catch((error: unknown) => {
    throw new Error(`failed to load AuthorizationConfiguration from file: ${messageOf(error)}`, { cause: error });
  });
  const checked = await checkAuthorizers(authorizers ?? [], compileMatchCondition);
  return checked.map(({ type, name, webhook }) => {
    if (webhook === undefined) return { type, name };
    const { conditions, ...how } = webhook;
    return { type, name, webhook: { ...how, matches: conditions.length === 0 ? undefined : matchConditionsOf(conditions) } };
  });
}
