import { useQueries } from '@tanstack/react-query';
import type { EventSummary } from '@contract/event';
import { eventBodyQuery } from '../../api/events';
import { fieldsOf, type PayloadField } from '../../payload/field-paths';
import { readPayload } from '../../payload/payload';

const MAX_SAMPLES = 3;
const MAX_SAMPLE_BYTES = 100_000;

/** The fields of the payloads in a list, read from the first events of different types. */
export function usePayloadFields(rows: readonly EventSummary[], enabled: boolean): PayloadField[] {
  const byType = new Map<string, string>();
  for (const { type, id, size_bytes: size } of rows)
    if (size <= MAX_SAMPLE_BYTES && !byType.has(type) && byType.size < MAX_SAMPLES) byType.set(type, id);
  return useQueries({
    queries: [...byType.values()].map((id) => ({ ...eventBodyQuery(id), enabled })),
    combine: (bodies) =>
      fieldsOf(bodies.flatMap(({ data }) => (data === undefined ? [] : [readPayload(data)]))),
  });
}
