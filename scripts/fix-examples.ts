/** Keeps what the examples print now as what they should print. */
import { writeFileSync } from "node:fs";
import { outputOf, recordOf, stories } from "../examples/support/output.ts";

for (const story of stories()) writeFileSync(recordOf(story), await outputOf(story));
