import { Readable } from 'node:stream';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

const BUFFER_BYTES = 64 * 1024;

/** Streams of exports, which are made as fast as their clients read. */
@Injectable()
export class Downloads implements OnModuleDestroy {
  private readonly open = new Set<Readable>();

  stream(chunks: AsyncIterable<Uint8Array>): Readable {
    const stream = Readable.from(chunks, { objectMode: false, highWaterMark: BUFFER_BYTES });
    this.open.add(stream);
    return stream.once('close', () => this.open.delete(stream));
  }

  /** A slow client must not delay the daemon's shutdown. */
  onModuleDestroy(): void {
    for (const stream of this.open) stream.destroy();
  }
}
