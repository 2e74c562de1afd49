/** The certificates of the cluster's CA, which may be others one day. */
import type { Source, SourceConnection } from "@coxswain/client";
import { DisposableStack } from "@coxswain/machinery";
import type { RootCa } from "../contracts/built-in-controller.ts";

/** One that never changes has the form of what does. */
export const followedRootCa = (rootCa: string | RootCa): RootCa =>
  typeof rootCa === "string" ? { current: rootCa, subscribe: () => ({ [Symbol.dispose]: () => undefined }) } : rootCa;

/** Wakes the controller for all of its objects, too, when the certificates are others. */
export const alsoWhenChanged = (source: Source, rootCa: RootCa): Source => ({
  ref: source.ref,
  connect(informers, setting): SourceConnection {
    const connection = source.connect(informers, setting);
    return {
      informer: connection.informer,
      begin(add, failed) {
        const both = new DisposableStack();
        both.use(connection.begin(add, failed));
        both.use(
          rootCa.subscribe(() => {
            for (const { metadata } of setting.main().list()) add({ name: metadata?.name ?? "" }, { priority: "normal" });
          }),
        );
        return both;
      },
      [Symbol.dispose]: () => connection[Symbol.dispose](),
    };
  },
});
