import type { RandomSource } from "@coxswain/machinery";
import { createCreate } from "../handlers/create.ts";
import { createDelete } from "../handlers/delete.ts";
import { createDeleteCollection } from "../handlers/delete-collection.ts";
import { createGet } from "../handlers/get.ts";
import { createList, type ListServices } from "../handlers/list.ts";
import { createPatch } from "../handlers/patch.ts";
import { createUpdate } from "../handlers/update.ts";
import type { Verbs } from "../handlers/verbs.ts";
import { createWatch } from "../handlers/watch.ts";
import type { BodyDecoder } from "../negotiation/body-decoder.ts";
import type { ContendedObjects } from "../registry/contended-objects.ts";
import type { ObjectServices, StorageServices } from "./services.ts";

export interface VerbOptions {
  readonly storage: StorageServices;
  readonly objects: ObjectServices;
  readonly contended: ContendedObjects | undefined;
  readonly decoder: BodyDecoder;
  readonly clock: ListServices["clock"];
  readonly random: RandomSource;
  readonly minRequestTimeoutMs: number | undefined;
}

export function createVerbs({ storage, objects, contended, decoder, clock, random, minRequestTimeoutMs }: VerbOptions): Verbs {
  const { store, cache, served } = storage;
  const { registry, responses, deleteEntry, watches, eventLoop } = objects;
  return {
    get: createGet({ store, clock, responses, contended }),
    list: createList({ store, cache, clock, eventLoop, responses }),
    watch: createWatch({ store, cache, clock, random, watches, minRequestTimeoutMs }),
    create: createCreate({ registry, decoder, responses }),
    update: createUpdate({ registry, decoder, responses, clock }),
    patch: createPatch({ registry, served, responses, clock }),
    delete: createDelete({ registry, responses }),
    deletecollection: createDeleteCollection({ store, cache, clock, eventLoop, responses, deleteEntry }),
  };
}
