/**
 * Several streams over one WebSocket: each message is the number of a channel in one byte, and what is sent on it.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets
 */

export interface ChannelMessage {
  readonly channel: number;
  readonly data: Uint8Array;
}

/** Says nothing itself; its data is the number of a channel that ends. Since version 5. */
export const closeChannel = 255;

/** As kubectl copies; far below what servers take in one message. */
const maxDataBytes = 32 * 1024;

export const onChannel = (channel: number, data: Uint8Array): Uint8Array => {
  const message = new Uint8Array(data.byteLength + 1);
  message[0] = channel;
  message.set(data, 1);
  return message;
};

/** Empty ones are left out: servers send them to say that they are there. */
export async function* channelMessages(messages: AsyncIterable<Uint8Array>): AsyncIterable<ChannelMessage> {
  for await (const message of messages) {
    const [channel] = message;
    if (channel !== undefined && message.byteLength > 1) yield { channel, data: message.subarray(1) };
  }
}

/** In order, each message once the one before it is handed on. */
export async function sendOnChannel(send: (message: Uint8Array) => Promise<void>, channel: number, data: Uint8Array): Promise<void> {
  for (let start = 0; start < data.byteLength; start += maxDataBytes) {
    await send(onChannel(channel, data.subarray(start, start + maxDataBytes)));
  }
}
