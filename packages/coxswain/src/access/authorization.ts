/** Authorization as the options want it: the files that they name, read and followed. */
import {
  type AuthorizationOptions,
  type AuthorizerOptions,
  type LoadedAuthorizer,
  type Log,
  loadAuthorizationConfiguration,
  type Metrics,
  type ReviewWebhook,
  type ServerOptions,
  staticContent,
} from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, goQuote } from "@coxswain/machinery";
import {
  type AuthorizationSettings,
  type AuthorizationWebhookSettings,
  defaultAuthorizationModes,
} from "../options/authorization-options.ts";
import { followFile } from "../process/follow-file.ts";
import { StartError } from "../process/start-error.ts";
import { reviewWebhookOf } from "./review-webhook.ts";

/** Holds the connections to its webhooks, and follows its file, until it is disposed of. */
export interface OpenAuthorization extends AsyncDisposable {
  readonly server: Pick<ServerOptions, "authorization">;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "access">;
}

/** @throws StartError for a file that cannot be used, and for options that contradict each other */
export async function openAuthorization(settings: AuthorizationSettings | undefined, at: Surroundings): Promise<OpenAuthorization> {
  // A changed file may open more later on.
  const stack = new AsyncDisposableStack();
  try {
    const authorization = settings && (await optionsOf(settings, at, stack));
    return { server: authorization === undefined ? {} : { authorization }, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function optionsOf(
  { configFile, modes, webhook }: AuthorizationSettings,
  { clock, log, metrics }: Surroundings,
  stack: AsyncDisposableStack,
): Promise<AuthorizationOptions> {
  if (configFile === undefined) {
    const authorizers = await authorizersOf(modes ?? defaultAuthorizationModes, webhook, (file) => openWebhook(file, clock, stack));
    return staticContent(() => authorizers);
  }
  if (modes !== undefined || webhook !== undefined) {
    throw new StartError(
      "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
    );
  }
  const open = (loaded: readonly LoadedAuthorizer[]) => withWebhooks(loaded, (file) => openWebhook(file, clock, stack));
  let first: readonly LoadedAuthorizer[] | undefined;
  const reloads = metrics.access.authorizationConfig;
  const now = (): number => clock.now() / 1000;
  const parse = async (text: string): Promise<readonly AuthorizerOptions[]> => {
    const loaded = await loadAuthorizationConfiguration(text);
    const isFirst = first === undefined;
    first ??= loaded;
    checkTypes(first, loaded);
    const opened = await open(loaded);
    if (isFirst) reloads.start(text);
    else reloads.succeed(text, now());
    return opened;
  };
  return stack.use(
    await followFile({ path: configFile, what: "--authorization-config", parse, onFailure: () => reloads.fail(now()), clock, log }),
  );
}

/** Whom a file adds or leaves out later on may be webhooks alone. @throws Error in Kubernetes' words */
function checkTypes(first: readonly LoadedAuthorizer[], loaded: readonly LoadedAuthorizer[]): void {
  const types = new Set<string>(first.map(({ type }) => type).filter((type) => type !== "Webhook"));
  const missing = [...types].filter((type) => !loaded.some((one) => one.type === type)).sort();
  if (missing.length > 0) throw new Error(`missing required types: [${missing.join(" ")}]`);
  for (const { type } of loaded) {
    if (isBuiltIn(type) && !types.has(type)) {
      throw new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
    }
  }
}

const isBuiltIn = (type: string): boolean => type === "Node" || type === "RBAC";

type Open = (file: string) => Promise<ReviewWebhook>;

/** Those of a configuration that has changed stay open until the end: requests may still wait for them. */
const openWebhook = async (file: string, clock: Clock, stack: AsyncDisposableStack): Promise<ReviewWebhook> =>
  stack.use(await reviewWebhookOf(file, "the configuration of a webhook for authorization", clock));

const withWebhooks = (loaded: readonly LoadedAuthorizer[], open: Open): Promise<readonly AuthorizerOptions[]> =>
  Promise.all(
    loaded.map(async ({ type, name, webhook }): Promise<AuthorizerOptions> => {
      if (webhook === undefined) return { type, name };
      const { kubeConfigFile, ...how } = webhook;
      return { type, name, webhook: { ...how, webhook: await open(kubeConfigFile) } };
    }),
  );

async function authorizersOf(
  modes: NonNullable<AuthorizationSettings["modes"]>,
  webhook: AuthorizationWebhookSettings | undefined,
  open: Open,
): Promise<readonly AuthorizerOptions[]> {
  if (webhook?.configFile !== undefined && !modes.includes("Webhook")) {
    throw new StartError("cannot specify --authorization-webhook-config-file without mode Webhook");
  }
  return await withWebhooks(
    modes.map((type): LoadedAuthorizer => (type === "Webhook" ? webhookOfOptions(webhook) : { type, name: type.toLowerCase() })),
    open,
  );
}

function webhookOfOptions(webhook: AuthorizationWebhookSettings | undefined): LoadedAuthorizer {
  if (webhook?.configFile === undefined) throw new StartError("authorization-mode Webhook's authorization config file not passed");
  const { configFile: kubeConfigFile, version, authorizedMs, unauthorizedMs } = webhook;
  if (version !== "v1" && version !== "v1beta1") {
    throw new StartError(`unsupported webhook authorizer version ${goQuote(version)}, supported versions are "v1", "v1beta1"`);
  }
  const how = { kubeConfigFile, version, authorizedMs, unauthorizedMs, timeoutMs: 30_000, onFailure: "noOpinion" } as const;
  return { type: "Webhook", name: "default", webhook: how };
}
