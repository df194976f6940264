import { ENDED_BY_ERASURE, ERASED_NOTE, ERASURE_RULES, erasureParameters } from '../../erasure-rules';
import type { Committed, EraseStep } from '../../journal/journal';
import type { DeliveryKey } from '../../../ground/ids';
import { end } from './deliveries';
import { addEventBytes, subtractEventBytes } from './event-bytes';
import { rowsOf, type Transaction } from './transaction';

/** Erases events. @returns the deliveries that were ended */
export async function eraseEvents(transaction: Transaction, step: EraseStep): Promise<Committed['ended']> {
  // A pass over the indexes that has read the entity of an event would otherwise store it after it was erased.
  await rowsOf(transaction, 'SELECT 1 FROM instance FOR UPDATE');
  const parameters = [erasureParameters(step)];
  const cancelled: Committed['ended'] = [];
  for (const key of await rowsOf<DeliveryKey>(transaction, ENDED_BY_ERASURE, parameters)) {
    const ended = await end(transaction, { key, note: ERASED_NOTE, at: step.at });
    if (ended !== null) cancelled.push({ key, ...ended, deadLetter: null });
  }
  await subtractEventBytes(transaction, step.seqs);
  for (const sql of Object.values(ERASURE_RULES).flat()) await rowsOf(transaction, sql, parameters);
  await addEventBytes(transaction, step.seqs);
  return cancelled;
}
