/** Base64 where neither Buffer nor the methods of Uint8Array are: in browsers, and in Node before 25. */

const chunk = 0x2000;

/** Standard alphabet, padded. */
export function toBase64(data: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < data.length; i += chunk) binary += String.fromCharCode(...data.subarray(i, i + chunk));
  return btoa(binary);
}

/** @throws DOMException where `text` is not in the standard alphabet; padding may be missing */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const data = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) data[i] = binary.charCodeAt(i);
  return data;
}
