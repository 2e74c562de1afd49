/** What tests of every package wait with; nothing else imports it. */
export { type QuiescenceOptions, quiescence } from "./quiescence.ts";
export { hangMs, type WaitOptions, waitUntil } from "./wait-until.ts";
