/** A part of the cluster that asks for more than its role allows does not do its work: whoever reads the log finds out. */
import type { Log } from "@coxswain/apiserver";
import type { Transport } from "@coxswain/client";

export interface ReportOptions {
  /** Who asks. */
  readonly user: string;
  readonly log: Pick<Log, "error">;
}

/** What admission refuses says nothing of rights. */
const isLackOfRights = (message: unknown, user: string): message is string =>
  typeof message === "string" && message.includes(`User "${user}" cannot `);

/** Logs each request that is forbidden because of the user's rights. */
export const reportRefusals = (transport: Transport, { user, log }: ReportOptions): Transport => ({
  ...transport,
  send: async (request) => {
    const answer = await transport.send(request);
    if (answer.status !== 403) return answer;
    const bytes = await answer.bytes();
    const { message } = JSON.parse(Buffer.from(bytes).toString()) as { readonly message?: unknown };
    if (isLackOfRights(message, user)) log.error({ user, message }, "a part of the cluster lacks a right");
    return { ...answer, bytes: async () => bytes };
  },
});
