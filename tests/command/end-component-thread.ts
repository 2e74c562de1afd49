/**
 * Loaded into the command under test by `--import`, and so into its threads: SIGUSR2 has each thread of components fail, the first
 * time with an exception, then without a word.
 */
import { BroadcastChannel, isMainThread, workerData } from "node:worker_threads";

const channel = new BroadcastChannel("end component threads");
if (isMainThread) {
  let times = 0;
  process.on("SIGUSR2", () => channel.postMessage(times++ === 0 ? "throw" : "exit"));
} else if (workerData !== null && typeof workerData === "object" && "controllers" in workerData) {
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    if (data === "exit") process.exit(7);
    setImmediate(() => {
      throw new RangeError("the test ends this thread");
    });
  };
}
channel.unref();
