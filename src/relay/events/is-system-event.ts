import type { EventDraft } from '../database/journal';

/**
 * Whether an event is one of our own. Nobody signed it, so the columns of the signature, which take no NULL, are empty: to
 * change that would copy the whole table of events at an update.
 */
export const isSystemEvent = ({ signatureHeader }: Pick<EventDraft, 'signatureHeader'>) =>
  signatureHeader === '';
