import { goQuote } from "@coxswain/machinery";

interface Named {
  readonly username?: string;
  readonly groups?: readonly string[];
}

interface Event {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly user: Named;
  readonly impersonatedUser?: Named;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: { readonly namespace?: string };
  readonly requestURI: string;
  readonly responseStatus?: { readonly code: number };
  readonly requestReceivedTimestamp: string;
}

/** An event as the log's format `legacy` has it. @param line its JSON */
export function legacyAuditLine(line: string): string {
  const event: Event = JSON.parse(line);
  const { user, impersonatedUser: as, responseStatus, objectRef } = event;
  const quoted = goQuote;
  const parts = [
    `id=${quoted(event.auditID)}`,
    `stage=${quoted(event.stage)}`,
    `ip=${quoted(event.sourceIPs?.[0] ?? "<unknown>")}`,
    `method=${quoted(event.verb)}`,
    `user=${quoted(user.username || "<none>")}`,
    `groups=${quoted(listed(user.groups, "<none>"))}`,
    `as=${quoted(as === undefined ? "<self>" : (as.username ?? ""))}`,
    `asgroups=${quoted(listed(as?.groups, "<lookup>"))}`,
    `user-agent=${quoted(event.userAgent ?? "")}`,
    `namespace=${quoted(objectRef?.namespace || "<none>")}`,
    `uri=${quoted(event.requestURI)}`,
    `response="${responseStatus?.code ?? "<deferred>"}"`,
  ];
  // As Go writes a time, without the zeros at the end of its fraction.
  const received = event.requestReceivedTimestamp.replace(/\.?0{1,6}Z$/, "Z");
  return `${received} AUDIT: ${parts.join(" ")}\n`;
}

const listed = (names: readonly string[] | undefined, otherwise: string): string =>
  names === undefined ? otherwise : names.map(goQuote).join(",");
