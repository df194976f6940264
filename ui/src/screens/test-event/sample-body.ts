import { formatJsonText } from '../../payload/format-json-text';
import { writeJson } from '../../payload/json';
import { readPayload } from '../../payload/payload';

const SAMPLE = '{"id": 42, "name": "Sample"}';

/** The `data` of a stored event, indented; a small sample without one. */
export function sampleData(body: Uint8Array<ArrayBuffer> | undefined): string {
  const payload = body === undefined ? null : readPayload(body);
  const data =
    payload?.kind === 'json' && payload.json.kind === 'object' ? payload.json.members.get('data') : undefined;
  return formatJsonText(data === undefined ? SAMPLE : writeJson(data));
}

/** A notification with this data as text: parsing it would round long integers. @param at ISO 8601 */
export const bodyOf = (type: string, at: string, data: string): string =>
  `{"event":${JSON.stringify(type)},"timestamp":"${at}","webhook_id":"wh_0","data":${data}}`;
