import type { RequestHandler } from "../contracts/request-context.ts";
import type { PartHandler } from "./update.ts";

/** What can be done with stored objects of any resource, by the names of the verbs. */
export interface Verbs {
  readonly get: RequestHandler;
  readonly list: RequestHandler;
  readonly watch: RequestHandler;
  readonly create: RequestHandler;
  readonly update: PartHandler;
  readonly patch: PartHandler;
  readonly delete: RequestHandler;
  readonly deletecollection: RequestHandler;
}
