import { systemClock, systemRandom } from "@coxswain/machinery";
import { moveState, type Transfer, type TransferReport } from "../cluster/transfer-state.ts";
import { createLog } from "../process/log.ts";
import { count } from "./transfer-text.ts";

/** Between two lines about how far it is. */
const progressMs = 1_000;

/** On standard error it says how far it is, where that takes some time. @throws StartError */
export function runTransfer(transfer: Transfer): Promise<TransferReport> {
  let said = systemClock.monotonic();
  const onProgress = ({ entries, of }: { readonly entries: number; readonly of: number }): void => {
    const now = systemClock.monotonic();
    if (now - said < progressMs) return;
    said = now;
    process.stderr.write(`${entries.toLocaleString("en")} of ${count(of, "object")}\n`);
  };
  const log = createLog({ logLevel: "warn", logFormat: "text" });
  return moveState(transfer, { clock: systemClock, random: systemRandom, log, onProgress });
}
