/** What can be asked about the past of a resource: how it was, its versions, and who wrote which field last. */
export type HistoryReport = "past" | "history" | "blame";
