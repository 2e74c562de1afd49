/** What the flags of kube-apiserver say about the audit log. */
import { type AuditSettings, auditSettingsOf } from "../options/audit-options.ts";
import { StartError } from "../process/start-error.ts";
import { type Flags, lastOf } from "./parse-flags.ts";

/** @throws StartError in Kubernetes' words */
export const auditOf = (flags: Flags): AuditSettings | undefined =>
  auditSettingsOf(
    (flag) => lastOf(flags, flag),
    (message) => {
      throw new StartError(message);
    },
  );
