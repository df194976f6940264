import { isContainer, pathText, previewJson, type Json, type Step } from './json';
import type { Payload } from './payload';

/** A field of payloads, and a value that it has. */
export interface PayloadField {
  path: string;
  sample: string;
}

const MAX_FIELDS = 100;
const MAX_SAMPLE_LENGTH = 40;

/** The fields with plain values of some payloads, by their paths as in a filter, in document order. */
export function fieldsOf(payloads: readonly Payload[]): PayloadField[] {
  const fields = new Map<string, string>();
  for (const payload of payloads) {
    const open: [Step[], Json][] = payload.kind === 'json' ? [[[], payload.json]] : [];
    for (let next = open.pop(); next !== undefined && fields.size < MAX_FIELDS; next = open.pop()) {
      const [path, json] = next;
      if (json.kind === 'object') {
        const members = [...json.members].map(([name, value]): [Step[], Json] => [[...path, name], value]);
        open.push(...members.toReversed());
      } else if (!isContainer(json)) {
        const text = pathText(path);
        // A filter cannot name fields with special characters.
        if (!text.includes('[') && !fields.has(text)) fields.set(text, previewJson(json, MAX_SAMPLE_LENGTH));
      }
    }
  }
  return [...fields].map(([path, sample]) => ({ path, sample }));
}
