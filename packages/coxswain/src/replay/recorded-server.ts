/** A server of a recording, in this process: it answers what the recorded one would have answered, and changes nothing. */

import { makeServiceAccountKey } from "@coxswain/apiserver";
import { createClient, type Transport } from "@coxswain/client";
import { AsyncDisposableStack, ManualClock, type PastMoment, parseJson, systemRandom } from "@coxswain/machinery";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import { startControlPlane } from "../testing/cluster/control-plane.ts";
import { lazyCredentials } from "../testing/cluster/listening.ts";
import type { LoadedRecording } from "./load-recording.ts";
import { recordedStore } from "./recorded-store.ts";

export interface RecordedServer extends AsyncDisposable {
  /** As somebody who may read everything that was recorded. */
  readonly transport: Transport;
  /** @throws StatusError */
  moment(at: string): Promise<PastMoment>;
}

const reader = { name: "replay", uid: "replay", groups: ["system:masters"] };

export async function startRecordedServer(recording: LoadedRecording): Promise<RecordedServer> {
  await using stack = new AsyncDisposableStack();
  // It is always the moment at which the recording ends.
  const clock = new ManualClock(recording.until);
  const { server, callers } = await startControlPlane({
    ...{ store: recordedStore(recording), history: recording.history, isReadOnly: true, clock, random: systemRandom, users: [] },
    ...{ credentials: lazyCredentials(), serviceAccountKey: makeServiceAccountKey() },
  });
  stack.defer(() => server.close());
  const transport = stack.use(inProcessTransport(server, { user: reader, callers }));
  const client = createClient({ transport, clock, random: systemRandom });
  const owned = stack.move();
  return {
    transport,
    async moment(at) {
      const answer = await client.request({ method: "GET", path: `/coxswain/v1/moment?${new URLSearchParams({ at })}`, headers: {} });
      return parseJson(await answer.bytes()) as PastMoment;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
