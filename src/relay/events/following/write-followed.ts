import type { PayloadMask } from '../../filters/payload-mask';
import { FORMATS } from '../export-formats';
import { maskBody, maskEvent } from '../mask-event';
import type { Followed } from './held-reads.service';

/**
 * The JSON of `followingEvents`, in which payloads are as they were received, except for masked values.
 * @param more further members
 */
export function writeFollowed(
  { events, bodies, ...followed }: Followed,
  mask: PayloadMask | null,
  more: object = {},
): Buffer {
  const { next_cursor, newest_seq, lag } = followed;
  const data = events.map((event) => {
    const [shown, body] = [maskEvent(event, mask), bodies?.get(event.seq)];
    return body === undefined
      ? [Buffer.from(JSON.stringify(shown))]
      : FORMATS.json.write(shown, maskBody(event.type, body, mask));
  });
  const separated = data.flatMap((parts, i) => (i === 0 ? parts : [Buffer.from(','), ...parts]));
  const rest = JSON.stringify({ next_cursor, newest_seq, lag, ...more });
  return Buffer.concat([Buffer.from('{"data":['), ...separated, Buffer.from(`],${rest.slice(1)}`)]);
}
