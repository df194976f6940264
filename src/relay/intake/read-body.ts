import type { IncomingMessage } from 'node:http';

/**
 * The bytes of a request. `too_large`: more than `limitBytes`; what is beyond is not kept. `cut_short`: the sender went
 * away, so nobody waits for an answer.
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | 'too_large' | 'cut_short'> {
  if (Number(request.headers['content-length']) > limitBytes) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else resolve('too_large');
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('close', () => resolve('cut_short'));
    request.on('error', () => resolve('cut_short'));
  });
}
