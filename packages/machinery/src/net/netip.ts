/** IP addresses as Go's net/netip reads them: one spelling of IPv4, and zones. Errors have its texts. */
import { goQuote } from "../go/quote.ts";
import { type IpAddress, parseIp } from "./ip.ts";

/** An IP address with the zone of IPv6. */
export interface ZonedAddress {
  readonly address: IpAddress;
  /** Empty when there is none. */
  readonly zone: string;
}

/** The address, or what is wrong. */
export function parseZonedAddress(text: string): ZonedAddress | string {
  const percent = text.includes(":") ? text.indexOf("%") : -1;
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  const address = parseIp(percent < 0 ? text : text.slice(0, percent));
  return address === undefined || address.leadingZeros || (percent >= 0 && zone === "") ? addressProblem(text) : { address, zone };
}

function addressProblem(text: string): string {
  const problem = firstProblem(text);
  const at = problem.at === undefined ? "" : ` (at ${goQuote(problem.at)})`;
  return `ParseAddr(${goQuote(text)}): ${problem.message}${at}`;
}

interface Problem {
  readonly message: string;
  /** From where the trouble begins. */
  readonly at?: string;
}

function firstProblem(text: string): Problem {
  const kind = /[.:%]/.exec(text)?.[0];
  if (kind === ".") return ipv4Problem(text) ?? tooShort;
  if (kind === ":") return ipv6Problem(text);
  return { message: kind === "%" ? "missing IPv6 address" : "unable to parse IP" };
}

const tooShort: Problem = { message: "IPv4 address too short" };

function ipv4Problem(text: string): Problem | undefined {
  let dots = 0;
  let octet = "";
  for (const [i, char] of [...text].entries()) {
    const at = text.slice(i);
    if (/[0-9]/.test(char)) {
      if (octet === "0") return { message: "IPv4 field has octet with leading zero" };
      octet += char;
      if (Number(octet) > 255) return { message: "IPv4 field has value >255" };
    } else if (char !== ".") return { message: "unexpected character", at };
    else if (i === 0 || i === text.length - 1 || octet === "") return { message: "IPv4 field must have at least one digit", at };
    else if (++dots === 4) return { message: "IPv4 address too long" };
    else octet = "";
  }
  return dots < 3 ? tooShort : undefined;
}

/** Reads groups from the left; `rest` is what is still to be read, as Go's messages show it. */
function ipv6Problem(text: string): Problem {
  const percent = text.indexOf("%");
  if (percent === text.length - 1) return { message: "zone must be a non-empty string" };
  let rest = percent < 0 ? text : text.slice(0, percent);
  let shortened = rest.startsWith("::");
  if (shortened) rest = rest.slice(2);
  let groups = 0;
  while (groups < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return { message: "each group must have 4 or less digits", at: rest };
    if (digits === "") return { message: "each colon-separated field must have at least one digit", at: rest };
    if (rest[digits.length] === ".") {
      const problem = embeddedProblem(rest, groups, shortened);
      if (problem !== undefined) return problem;
      groups += 2;
      rest = "";
      break;
    }
    groups++;
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (rest[0] !== ":") return { message: "unexpected character, want colon", at: rest };
    if (rest === ":") return { message: "colon must be followed by more characters", at: rest };
    rest = rest.slice(1);
    if (rest[0] !== ":") continue;
    if (shortened) return { message: "multiple :: in address", at: rest };
    shortened = true;
    rest = rest.slice(1);
    if (rest === "") break;
  }
  if (rest !== "") return { message: "trailing garbage after address", at: rest };
  return { message: groups < 8 ? "address string too short" : "the :: must expand to at least one field of zeros" };
}

function embeddedProblem(rest: string, groups: number, shortened: boolean): Problem | undefined {
  if (!shortened && groups !== 6) {
    return { message: "embedded IPv4 address must replace the final 2 fields of the address", at: rest };
  }
  if (groups > 6) return { message: "too many hex fields to fit an embedded IPv4 at the end of the address", at: rest };
  return ipv4Problem(rest);
}
