/** The kubeconfig of a server, and the user's in which it has a context, for as long as it runs: with the certificates of now. */
import type { ContentProvider, Log } from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, messageOf } from "@coxswain/machinery";
import { ownIdentity } from "../process/process-identity.ts";
import type { KubeconfigFacts } from "./kubeconfig.ts";
import { updateKubeconfig } from "./own-kubeconfig.ts";

type Facts = KubeconfigFacts & { readonly name: string };

export interface KeptKubeconfigOptions {
  readonly path: string;
  /** Of the user; undefined where it stays as it is. */
  readonly mergePath: string | undefined;
  readonly facts: () => Facts;
  /** What the facts come from. */
  readonly sources: readonly ContentProvider<unknown>[];
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
}

/** Written when this resolves, and again after each change until it is disposed of. @throws StartError when it cannot be written */
export async function keepKubeconfig(options: KeptKubeconfigOptions): Promise<AsyncDisposable> {
  const { path, mergePath, facts, sources, clock, log } = options;
  await using stack = new AsyncDisposableStack();
  await updateKubeconfig(path, facts(), clock);
  const merged = mergePath === undefined || mergePath === path ? undefined : stack.use(await mergedInto(mergePath, facts(), clock));
  let writing: Promise<void> = Promise.resolve();
  let isDue = false;
  const write = async (): Promise<void> => {
    isDue = false;
    try {
      await updateKubeconfig(path, facts(), clock);
      await merged?.renew(facts());
    } catch (error) {
      log.error({ path, error: messageOf(error) }, "failed to write the kubeconfig with new certificates");
    }
  };
  const followed = sources.map((source) =>
    source.subscribe(() => {
      // Several that change in one turn are one change.
      if (isDue) return;
      isDue = true;
      writing = writing.then(write);
    }),
  );
  stack.defer(async () => {
    for (const one of followed) one[Symbol.dispose]();
    await writing;
  });
  const owned = stack.move();
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function mergedInto(path: string, facts: Facts, clock: Clock) {
  const { mergeIntoKubeconfig } = await import("./merge-kubeconfig.ts");
  return await mergeIntoKubeconfig(path, { facts, self: ownIdentity(), clock });
}
