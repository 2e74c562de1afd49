import type { ContentProvider } from "@coxswain/apiserver";
import type { KeyPair } from "@coxswain/pki/node";
import type { Authority } from "../pki/authority.ts";
import { certificateOf, isSuitable } from "../pki/certificates.ts";

/** With the authority that has signed it behind it, so that a node which knows the authority by a hash alone finds it. */
export function servingChain(pair: ContentProvider<KeyPair>, authority: ContentProvider<Authority>): ContentProvider<KeyPair> {
  return {
    get current() {
      return chained(pair.current, authority.current);
    },
    subscribe: (listener) => pair.subscribe((next) => listener(chained(next, authority.current))),
  };
}

function chained(pair: KeyPair, authority: Authority): KeyPair {
  const certificate = certificateOf(pair);
  if (certificate === undefined || !isSuitable(certificate, authority, {}) || pair.cert.includes(authority.cert.trim())) return pair;
  return { ...pair, cert: `${pair.cert.trimEnd()}\n${authority.cert.trim()}\n` };
}
