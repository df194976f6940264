import { Readable } from 'node:stream';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

const BUFFER_BYTES = 64 * 1024;
/** Less than that is sent after this time, so that a client sees a download that finds little. */
const HELD_MS = 200;

/** Streams of exports, which are made as fast as their clients read. */
@Injectable()
export class Downloads implements OnModuleDestroy {
  private readonly open = new Set<Readable>();

  stream(chunks: AsyncIterable<Uint8Array>): Readable {
    const stream = Readable.from(joined(chunks), { objectMode: false, highWaterMark: BUFFER_BYTES });
    this.open.add(stream);
    return stream.once('close', () => this.open.delete(stream));
  }

  /** A slow client must not delay the daemon's shutdown. */
  onModuleDestroy(): void {
    for (const stream of this.open) stream.destroy();
  }
}

/** In pieces of the size of the buffer: each piece is a system call of its own. */
async function* joined(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  let since = 0;
  for await (const chunk of chunks) {
    if (bytes === 0) since = performance.now();
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < BUFFER_BYTES && performance.now() - since < HELD_MS) continue;
    yield Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}
