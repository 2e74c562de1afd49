/** Objects that come from a list do not tell their kind. */
export const podKind = { group: "", version: "v1", kind: "Pod" };
