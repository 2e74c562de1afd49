/** Objects that come from a list do not contain their kind. */
export const podKind = { group: "", version: "v1", kind: "Pod" };
