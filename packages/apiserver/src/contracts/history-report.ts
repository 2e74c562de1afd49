/** What can be asked about the past: which revision a moment was; of a resource how it was, its versions, and who wrote which field last. */
export type HistoryReport = "moment" | "past" | "history" | "blame";

/** Where all that happened is asked for. */
export const timelinePath = "/coxswain/v1/timeline";
