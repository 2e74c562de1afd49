/** Chooses the FlowSchema of each request. */
import type { UserInfo } from "../contracts/authenticator.ts";
import type { RequestInfo } from "../contracts/request-info.ts";
import { bySchemaOrder, type CompiledRule, type CompiledSchema } from "./flow-schemas.ts";

interface Candidate<Schema> {
  readonly schema: Schema;
  readonly covers: CompiledRule["covers"];
}

export class SchemaChoice<Schema extends CompiledSchema> {
  readonly #schemas: readonly Schema[];
  /** What a user may be of depends on nothing else: whoever comes again, with the same credentials, need not be looked at. */
  readonly #candidates = new WeakMap<UserInfo, readonly Candidate<Schema>[]>();

  constructor(schemas: readonly Schema[]) {
    this.#schemas = schemas.toSorted(bySchemaOrder);
  }

  get last(): Schema | undefined {
    return this.#schemas.at(-1);
  }

  /** The first that matches. */
  of(user: UserInfo, info: RequestInfo): Schema | undefined {
    let candidates = this.#candidates.get(user);
    if (candidates === undefined) {
      candidates = this.#candidatesFor(user);
      this.#candidates.set(user, candidates);
    }
    for (const { schema, covers } of candidates) if (covers(info)) return schema;
    return undefined;
  }

  #candidatesFor(user: UserInfo): readonly Candidate<Schema>[] {
    return this.#schemas.flatMap((schema) => schema.rules.filter(({ isOf }) => isOf(user)).map(({ covers }) => ({ schema, covers })));
  }
}
