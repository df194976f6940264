import type { EventDraft } from './journal';

/** The repair that made an event: a synthetic one has its id in place of a signature. Null for any other event. */
export const repairOf = ({ signatureHeader, signatureValue }: SignatureParts): string | null =>
  signatureHeader === '' && signatureValue ? signatureValue : null;

/** SQL: the same of a row of `events`. @param events alias of the table */
export const repairIn = (events: string) =>
  `CASE WHEN ${events}.signature_header = '' THEN nullif(${events}.signature_value, '') END`;

export type SignatureParts = Partial<Pick<EventDraft, 'signatureHeader' | 'signatureValue'>>;
