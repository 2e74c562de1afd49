// Loaded into a server before its program (node --import): a step of the calendar at each SIGUSR2, by what the file that COXSWAIN_CLOCK_FILE
// names has then, in milliseconds. What counts time monotonically goes on, as when an administrator sets the clock.
import { readFileSync } from "node:fs";

const RealDate = Date;
let offset = 0;

class SteppedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...args);
  }
  static now() {
    return RealDate.now() + offset;
  }
}
Object.defineProperty(SteppedDate, "name", { value: "Date" });
globalThis.Date = SteppedDate;

process.on("SIGUSR2", () => {
  offset = Number(readFileSync(process.env.COXSWAIN_CLOCK_FILE, "utf8"));
});
