/** Whoever CoreDNS, and ours, asks for other names: knows one. */
import { type Message, type Question, type ResourceRecord, responseCode } from "@coxswain/dns";

const name = (text: string): number[] => [...text.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]), 0];

const authority: ResourceRecord = {
  name: "example.org.",
  type: 6,
  class: 1,
  ttl: 30,
  data: Uint8Array.from([
    ...name("ns.example.org"),
    ...name("root.example.org"),
    ...[0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 30],
  ]),
};

export function upstreamAnswer(question: Question): Pick<Message, "rcode" | "answers" | "authorities"> {
  const isKnown = question.name.toLowerCase() === "www.example.org.";
  if (isKnown && question.type === 1)
    return {
      rcode: responseCode.noError,
      answers: [{ name: question.name, type: 1, class: 1, ttl: 30, data: Uint8Array.of(192, 0, 2, 1) }],
      authorities: [],
    };
  return { rcode: isKnown ? responseCode.noError : responseCode.nameError, answers: [], authorities: [authority] };
}
