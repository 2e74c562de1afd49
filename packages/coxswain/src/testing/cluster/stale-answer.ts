/** The answer of a cache that lacks the newest revisions: the whole server as it was then. */
import type { TransportRequest, TransportResponse } from "@coxswain/client";
import type { MemoryStore, Revision } from "@coxswain/store";
import type { InProcessUser } from "../../in-process/in-process-callers.ts";
import { inProcessTransport } from "../../in-process/in-process-transport.ts";
import type { SeededRandom } from "../chance-and-time/random.ts";
import { type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";

type Setting = ControlPlaneOptions & { readonly store: MemoryStore; readonly random: SeededRandom };

/** Undefined when a cache that is so far behind may not answer: the client asks for more, or history does not reach back. */
export function staleAnswer(setting: Setting, user: InProcessUser) {
  return async (request: TransportRequest, revisions: number): Promise<TransportResponse | undefined> => {
    const { store, clock, random } = setting;
    const at = store.revision - revisions;
    const query = new URL(request.path, "http://localhost").searchParams;
    if (at < store.compacted || Number(query.get("resourceVersion")) > at) return undefined;
    await using staleStore = store.snapshot({ at: at as Revision }).open({ clock });
    const { server, callers } = await startControlPlane({ ...setting, store: staleStore, random: random.copy() });
    await using _ = { [Symbol.asyncDispose]: () => server.close() };
    const answer = await inProcessTransport(server, { user, callers }).send(request);
    const bytes = await answer.bytes();
    const chunks = async function* () {
      yield bytes;
    };
    return { status: answer.status, headers: answer.headers, bytes: async () => bytes, chunks, cancel: () => undefined };
  };
}
