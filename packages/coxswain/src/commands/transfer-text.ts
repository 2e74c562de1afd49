/** What commands say of a state that has moved. */
import type { StateEnd, TransferReport } from "../cluster/transfer-state.ts";

export const nameOfEnd = (end: StateEnd): string => (end.kind === "etcd" ? `etcd at ${end.settings.servers.join(", ")}` : end.path);

/** What was done, and what it means for who uses the state: a line for each. */
export function transferText(report: TransferReport, { from, to }: { readonly from: StateEnd; readonly to: StateEnd }): string {
  const { entries, bytes, digest } = report.summary;
  const done = to.kind === "snapshot" ? "saved" : from.kind === "snapshot" ? "restored" : "copied";
  return [
    `${done} ${count(entries, "object")} (${count(bytes, "byte")}, digest ${digest}) from ${nameOfEnd(from)} to ${nameOfEnd(to)}, and compared them`,
    versionsText(report, to),
    ...(report.encrypted === 0 ? [] : [encryptedText(report.encrypted)]),
    ...(report.unknown === 0
      ? []
      : [`${count(report.unknown, "value")} in no known form went as they are, the first under ${report.firstUnknown}`]),
    ...(to.kind === "snapshot" ? [] : ["certificates, keys and tokens are not in the state: see docs/howto/move-state.md"]),
    "",
  ].join("\n");
}

function versionsText({ revision, sourceRevision, renumbered }: TransferReport, { kind }: StateEnd): string {
  if (kind === "etcd")
    return `etcd counts versions itself: all objects have new ones, up to ${revision} (before: ${sourceRevision}); restart whatever watches or keeps versions`;
  if (renumbered === 0) return `versions are as before, up to ${revision}`;
  return `versions are as before, but for ${count(renumbered, "object")} that had one with others: up to ${revision} (before: ${sourceRevision})`;
}

const encryptedText = (encrypted: number): string =>
  `${count(encrypted, "value")} that are encrypted went as they are: servers need the same --encryption-provider-config`;

export const count = (number: number, what: string): string => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
