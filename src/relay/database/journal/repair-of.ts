import type { EventDraft } from './journal';

/** The repair that made an event: a synthetic one has its id in place of a signature. Null for any other event. */
export const repairOf = ({ signatureHeader, signatureValue }: SignatureParts): string | null =>
  signatureHeader === '' && signatureValue ? signatureValue : null;

export type SignatureParts = Partial<Pick<EventDraft, 'signatureHeader' | 'signatureValue'>>;
