/** Which tag an image name means, and so how eagerly it is pulled. */

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const reference = new RegExp(`^(?:${domain}/)?${component}(?:/${component})*(?::(${tag}))?(?:@(${digest}))?$`);
/** Sixty-four hexadecimal digits are an image's identity, no name. */
const identity = /^[a-f0-9]{64}$/;

/** `latest` when neither tag nor digest is given; undefined for a digest alone and for what is no image name. */
export function imageTag(image: string): string | undefined {
  const match = reference.exec(image);
  if (match === null || identity.test(image)) return undefined;
  const [, named, pinned] = match;
  return named ?? (pinned === undefined ? "latest" : undefined);
}

export const defaultPullPolicy = (image: string): string => (imageTag(image) === "latest" ? "Always" : "IfNotPresent");
