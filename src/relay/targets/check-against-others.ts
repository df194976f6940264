import { RelayError } from '../ground/relay-error';
import type { TargetRecord } from './target-record';

/** Each is a delivery of every event, written in the transaction that its acknowledgement waits for. */
const MOST_TARGETS = 200;

/** @throws RelayError `too_many_targets`, 409, where one more would be */
export function assertBelowLimit(targets: readonly TargetRecord[]): void {
  if (targets.length < MOST_TARGETS) return;
  throw new RelayError('too_many_targets', 409, `There are ${MOST_TARGETS} targets, which is the most.`, {
    remedy: 'Remove one that is not needed any more, or let one target pass events on to several.',
  });
}

/**
 * @param id whose name it may be already; null for a new target
 * @throws RelayError `target_name_taken`, 409
 */
export function assertNameFree(targets: readonly TargetRecord[], name: string, id: string | null): void {
  const taken = targets.find((target) => target.name === name && target.id !== id);
  if (taken === undefined) return;
  throw new RelayError('target_name_taken', 409, `${taken.id} is named "${name}" already.`, {
    remedy: 'Choose another name.',
  });
}
