/** The audit log as the options want it: the policy that they name, read once, and its backends. */
import { readFile } from "node:fs/promises";
import { type AuditOptions, compileAuditPolicy, type Log, loadAuditPolicy, type Metrics } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, messageOf, type RandomSource } from "@coxswain/machinery";
import type { AuditBackendSettings, AuditLogSettings, AuditSettings, AuditWebhookSettings } from "../options/audit-options.ts";
import { StartError } from "../process/start-error.ts";
import {
  type AuditBackend,
  type AuditDelivery,
  allBackends,
  blockingBackend,
  countLostEvents,
  type OnLostEvents,
  truncatingBackend,
} from "./audit-backend.ts";
import { AuditBatches } from "./audit-batches.ts";
import { logDelivery, openAuditLog } from "./audit-log.ts";
import { webhookDelivery } from "./audit-webhook.ts";
import { reviewWebhookOf } from "./review-webhook.ts";

/** Keeps its backends open until it is disposed of; then it delivers what it has. */
export interface OpenAudit extends AsyncDisposable {
  readonly server: { readonly audit?: AuditOptions };
}

interface Surroundings {
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "audit">;
}

const none: OpenAudit = { server: {}, [Symbol.asyncDispose]: async () => undefined };

/** Without a policy nothing is recorded, and without a backend no policy is read, as with kube-apiserver. @throws StartError in its words */
export async function openAudit(settings: AuditSettings | undefined, at: Surroundings): Promise<OpenAudit> {
  if (settings === undefined) return none;
  const { log, webhook } = settings;
  const policy = await auditPolicyOf(settings, at);
  if (policy === undefined) return none;
  const stack = new AsyncDisposableStack();
  try {
    const tools = { ...at, onLost: countLostEvents(at.log, at.metrics) };
    const backends: AuditBackend[] = [];
    if (log !== undefined) backends.push(openLog(log, tools, stack));
    if (webhook !== undefined) backends.push(await openWebhook(webhook, tools, stack));
    return { server: { audit: { policy, sink: allBackends(backends) } }, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Undefined where nothing is recorded. @throws StartError in kube-apiserver's words */
export async function auditPolicyOf(
  { policyFile, log, webhook }: AuditSettings,
  at: Pick<Surroundings, "log">,
): Promise<AuditOptions["policy"] | undefined> {
  const policy = policyFile === undefined ? undefined : compileAuditPolicy(await readPolicy(policyFile));
  if (policy === undefined) {
    at.log.warn({}, `No audit policy file provided, no events will be recorded for ${log === undefined ? "webhook" : "log"} backend`);
    return undefined;
  }
  if (log !== undefined || webhook !== undefined) return policy;
  at.log.warn({}, "the audit policy records nothing: there is neither --audit-log-path nor --audit-webhook-config-file");
  return undefined;
}

interface Tools extends Surroundings {
  readonly onLost: OnLostEvents;
}

function openLog(settings: AuditLogSettings, tools: Tools, stack: AsyncDisposableStack): AuditBackend {
  const { clock, log, onLost } = tools;
  const onError = (error: unknown): void => log.error({ error }, "failed to compress a file of the audit log");
  const file = stack.use(openAuditLog(settings.path, settings, { clock, onError }));
  const defer = settings.mode === "blocking" ? (write: () => void): void => void setImmediate(write) : undefined;
  return backendOf(settings, stack.use(logDelivery(file, settings.format, { defer, onLost })), tools, stack);
}

async function openWebhook(settings: AuditWebhookSettings, tools: Tools, stack: AsyncDisposableStack): Promise<AuditBackend> {
  const { clock, random } = tools;
  const webhook = stack.use(await reviewWebhookOf(settings.configFile, "--audit-webhook-config-file", clock));
  const ending = new AbortController();
  const delivery = webhookDelivery(webhook, { clock, random, initialBackoffMs: settings.initialBackoffMs, signal: ending.signal });
  const backend = backendOf(settings, delivery, tools, stack);
  stack.defer(() => ending.abort());
  return backend;
}

function backendOf(
  { mode, batch, truncate }: AuditBackendSettings,
  delivery: AuditDelivery,
  { clock, onLost }: Tools,
  stack: AsyncDisposableStack,
): AuditBackend {
  const backend =
    mode === "batch" ? new AuditBatches(delivery, batch, { clock, onLost, truncate }) : blockingBackend(delivery, mode, onLost);
  return truncatingBackend(stack.use(backend), truncate, onLost);
}

async function readPolicy(path: string): ReturnType<typeof loadAuditPolicy> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new StartError(`loading audit policy file: failed to read file path ${JSON.stringify(path)}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  try {
    return await loadAuditPolicy(text);
  } catch (error) {
    throw new StartError(`loading audit policy file: ${messageOf(error)}: from file ${path}`, { cause: error });
  }
}
