/** What the flags of kube-apiserver say about the audit log. */
import { type AuditSettings, auditModeProblem, auditSettingsOf } from "../options/audit-options.ts";
import { StartError } from "../process/start-error.ts";
import { type Flags, lastOf } from "./parse-flags.ts";

/** @throws StartError in Kubernetes' words */
export function auditOf(flags: Flags): AuditSettings | undefined {
  const mode = lastOf(flags, "audit-log-mode");
  const problem = mode === undefined ? undefined : auditModeProblem(mode);
  if (problem !== undefined) throw new StartError(problem);
  return auditSettingsOf({
    auditPolicyFile: lastOf(flags, "audit-policy-file"),
    auditLogPath: lastOf(flags, "audit-log-path"),
    auditLogMode: mode,
    auditLogMaxage: numberOf(flags, "audit-log-maxage"),
    auditLogMaxbackup: numberOf(flags, "audit-log-maxbackup"),
    auditLogMaxsize: numberOf(flags, "audit-log-maxsize"),
  });
}

function numberOf(flags: Flags, name: string): number | undefined {
  const text = lastOf(flags, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new StartError(`--${name} ${text} can't be a negative number`);
  return Number(text);
}
