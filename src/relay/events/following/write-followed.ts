import { FORMATS } from '../export-formats';
import type { Followed } from './held-reads.service';

/** The JSON of `followingEvents`, in which payloads are as they were received. @param more further members */
export function writeFollowed({ events, bodies, ...followed }: Followed, more: object = {}): Buffer {
  const { next_cursor, newest_seq, lag } = followed;
  const data = events.map((event) => {
    const body = bodies?.get(event.seq);
    return body === undefined ? [Buffer.from(JSON.stringify(event))] : FORMATS.json.write(event, body);
  });
  const separated = data.flatMap((parts, i) => (i === 0 ? parts : [Buffer.from(','), ...parts]));
  const rest = JSON.stringify({ next_cursor, newest_seq, lag, ...more });
  return Buffer.concat([Buffer.from('{"data":['), ...separated, Buffer.from(`],${rest.slice(1)}`)]);
}
