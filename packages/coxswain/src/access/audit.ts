/** The audit log as the options want it: the policy that they name, read once, and the file, opened. */
import { readFile } from "node:fs/promises";
import { type AuditOptions, compileAuditPolicy, type Log, loadAuditPolicy, type Metrics } from "@coxswain/apiserver";
import { type Clock, messageOf } from "@coxswain/machinery";
import type { AuditSettings } from "../options/audit-options.ts";
import { StartError } from "../process/start-error.ts";
import { openAuditLog } from "./audit-log.ts";

/** Keeps its file open until it is disposed of. */
export interface OpenAudit extends Disposable {
  readonly server: { readonly audit?: AuditOptions };
}

interface Surroundings {
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "audit">;
}

const none: OpenAudit = { server: {}, [Symbol.dispose]: () => undefined };

/** Without a policy nothing is recorded, and without a log no policy is read, as with kube-apiserver. @throws StartError in its words */
export async function openAudit(settings: AuditSettings | undefined, { clock, log, metrics }: Surroundings): Promise<OpenAudit> {
  if (settings === undefined) return none;
  const { policyFile, logPath, mode } = settings;
  const policy = policyFile === undefined ? undefined : compileAuditPolicy(await readPolicy(policyFile));
  if (policy === undefined) {
    log.warn({}, "No audit policy file provided, no events will be recorded for log backend");
    return none;
  }
  if (logPath === undefined) {
    log.warn({}, "the audit policy records nothing: there is no --audit-log-path");
    return none;
  }
  const file = openAuditLog(logPath, settings, clock);
  const sink: AuditOptions["sink"] = {
    process(event, stage) {
      try {
        file.write(event);
        return true;
      } catch (error) {
        metrics.audit.countError("log");
        log.error({ error }, "failed to write an event of the audit log");
        // Once a request was let in, its answer does not depend on the log.
        return mode !== "blocking-strict" || stage !== "RequestReceived";
      }
    },
  };
  return { server: { audit: { policy, sink } }, [Symbol.dispose]: () => file[Symbol.dispose]() };
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
