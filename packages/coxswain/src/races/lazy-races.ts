/** The races of a server, of which nothing is loaded before somebody asks. */
import type { Endpoint } from "@coxswain/apiserver";
import type { Races, RacesOptions } from "./races.ts";

/** Disposing it ends all of them. */
export function lazyRaces(options: RacesOptions): AsyncDisposable & { readonly endpoint: Endpoint } {
  let loaded: Promise<{ readonly races: Races; readonly endpoint: Endpoint }> | undefined;
  const load = async () => {
    const [{ Races }, { raceEndpoint }] = await Promise.all([import("./races.ts"), import("./race-endpoint.ts")]);
    const races = new Races(options);
    return { races, endpoint: raceEndpoint(races) };
  };
  return {
    endpoint: async (request) => {
      loaded ??= load();
      return await (await loaded).endpoint(request);
    },
    [Symbol.asyncDispose]: async () => {
      await (await loaded)?.races[Symbol.asyncDispose]();
    },
  };
}
