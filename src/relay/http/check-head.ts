import type { IncomingMessage } from 'node:http';
import { PEER_HEADER } from '../secrets/forwarded-peers';

/** As much as common proxies pass on, with what those that identify people or trace requests add. */
const MAX_HEAD_BYTES = 32 * 1024;

/** How much the parser reads: of a larger head, it cannot be told which request it was. */
export const MAX_PARSED_HEAD_BYTES = 64 * 1024;

/** What is wrong with the head of a request; null if nothing is. What a forwarding daemon added does not count. */
export function checkHead({
  rawHeaders,
  url,
  httpVersion,
}: IncomingMessage): 'headers_too_large' | 'malformed' | null {
  let bytes = url!.length;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    if (name.length !== PEER_HEADER.length || name.toLowerCase() !== PEER_HEADER)
      bytes += name.length + rawHeaders[i + 1]!.length;
  }
  if (bytes > MAX_HEAD_BYTES) return 'headers_too_large';
  return hosts > 1 || (hosts === 0 && httpVersion === '1.1') ? 'malformed' : null;
}
