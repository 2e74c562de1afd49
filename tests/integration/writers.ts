/** A server whose clients say who they are: for tests about who did what. */
import assert from "node:assert/strict";
import type { ServerOptions } from "@coxswain/apiserver";
import { type Answer, type Api, type Json, type Sent, startApi } from "./api.ts";

export interface Writers extends Api {
  /** Sends as a user who may do everything; with the user agent `<manager>/1.0` where one is given. */
  as(user: string, manager: string, method: string, target: string, body?: unknown, type?: string): Promise<Answer>;
}

export async function startForWriters(overrides: Partial<ServerOptions> = {}): Promise<Writers> {
  const api = await startApi({
    authenticators: [
      ({ headers }) => {
        const { "x-user": name = "tester" } = headers;
        const groups = name === "nobody" ? [] : ["system:masters"];
        return { kind: "authenticated", user: { name: String(name), uid: "", groups, extra: {} } };
      },
    ],
    ...overrides,
  });
  return {
    ...api,
    as(user, manager, method, target, body, type) {
      const headers = { "x-user": user, "user-agent": `${manager}/1.0` };
      const sent: Sent = { headers, ...(body === undefined ? {} : { body }), ...(type === undefined ? {} : { type }) };
      return api.send(method, target, sent);
    },
  };
}

/** The causes in short: `OverlappingChange .spec.replicas`. */
export const conflictCauses = ({ status, body }: Answer): string[] => {
  assert.equal(status, 409, JSON.stringify(body));
  assert.equal(body.reason, "Conflict");
  return (body.details.causes ?? []).map(({ reason, field = "" }: Json) => `${reason} ${field}`.trim());
};

export const messagesOf = ({ body }: Answer): string[] => body.details.causes.map(({ message }: Json) => message);

export const recent = async (api: Api, query = ""): Promise<Json> => (await api.send("GET", `/coxswain/v1/conflicts${query}`)).body;
