/** A server whose clients say who they are: for tests about who did what. */
import assert from "node:assert/strict";
import type { ServerOptions } from "@coxswain/apiserver";
import { type Answer, type Api, type Json, type Sent, startApi } from "./api.ts";

export interface Writer {
  readonly user: string;
  /** Its user agent is `<manager>/1.0`. */
  readonly manager: string;
}

export interface Writers extends Api {
  /** Sends as a user who may do everything; as a field manager. */
  as(writer: Writer, method: string, target: string, sent?: Pick<Sent, "body" | "type">): Promise<Answer>;
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
    as: ({ user, manager }, method, target, sent = {}) =>
      api.send(method, target, { ...sent, headers: { "x-user": user, "user-agent": `${manager}/1.0` } }),
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
