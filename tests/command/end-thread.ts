/**
 * Loaded into the command under test by `--import`, and so into its threads: SIGUSR2 has each thread of components fail, the first
 * time with an exception, then without a word; with `COXSWAIN_TEST_ENDS=listensAt` each thread that is an API server, with an exception.
 */
import { BroadcastChannel, isMainThread, workerData } from "node:worker_threads";

/** What only such a thread is started with. */
const mark = process.env.COXSWAIN_TEST_ENDS ?? "controllers";
const channel = new BroadcastChannel("end threads");
if (isMainThread) {
  let times = 0;
  process.on("SIGUSR2", () => channel.postMessage(times++ === 0 || mark !== "controllers" ? "throw" : "exit"));
} else if (workerData !== null && typeof workerData === "object" && mark in workerData) {
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    if (data === "exit") process.exit(7);
    setImmediate(() => {
      throw new RangeError("the test ends this thread");
    });
  };
}
channel.unref();
