import { DecodeError } from "../values/decode-error.ts";

const clean = /^[A-Za-z0-9+/]*={0,2}$/;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** As Go would encode what it decoded: line breaks gone, unused bits zero. @throws DecodeError */
export function canonicalBase64(text: string): string {
  if (text.length % 4 === 0 && clean.test(text)) return withoutUnusedBits(text);
  const joined = text.replace(/[\r\n]/g, "");
  if (joined.length % 4 === 0 && clean.test(joined)) return withoutUnusedBits(joined);
  throw new DecodeError(`illegal base64 data at input byte ${firstIllegalByte(text)}`);
}

function withoutUnusedBits(text: string): string {
  if (!text.endsWith("=")) return text;
  const pad = text.endsWith("==") ? 2 : 1;
  const at = text.length - pad - 1;
  const last = alphabet.indexOf(text.charAt(at));
  const unused = pad === 2 ? last & 15 : last & 3;
  return unused === 0 ? text : text.slice(0, at) + alphabet.charAt(last - unused) + "=".repeat(pad);
}

/** Where Go's decoder gives up. */
function firstIllegalByte(text: string): number {
  let inGroup = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\n" || char === "\r") continue;
    if (char === "=") return inGroup < 2 ? i : afterPadding(text, i, inGroup);
    if (!alphabet.includes(char)) return i;
    inGroup = (inGroup + 1) % 4;
  }
  return text.length - inGroup;
}

function afterPadding(text: string, at: number, inGroup: number): number {
  let i = skipLineBreaks(text, at + 1);
  if (inGroup === 2) {
    if (i === text.length) return i;
    if (text[i] !== "=") return i - 1;
    i = skipLineBreaks(text, i + 1);
  }
  return i;
}

function skipLineBreaks(text: string, from: number): number {
  let i = from;
  while (text[i] === "\n" || text[i] === "\r") i++;
  return i;
}
