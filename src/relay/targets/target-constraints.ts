import { RelayError } from '../ground/relay-error';
import type { TargetRecord } from './target-record';

/** Each target adds a delivery to the transaction that an acknowledgement waits for. */
const MAX_TARGETS = 200;

/** @throws RelayError `too_many_targets`, 409, if this many targets leave no room for another */
export function assertBelowLimit(count: number): void {
  if (count < MAX_TARGETS) return;
  throw new RelayError('too_many_targets', 409, `The limit of ${MAX_TARGETS} targets is reached.`, {
    remedy:
      'Remove a target that is no longer needed, or use one target that forwards events to several receivers.',
  });
}

/**
 * @param id of the target that is renamed; null for a new target
 * @throws RelayError `target_name_taken`, 409
 */
export function assertNameFree(targets: readonly TargetRecord[], name: string, id: string | null): void {
  const taken = targets.find((target) => target.name === name && target.id !== id);
  if (taken === undefined) return;
  throw new RelayError('target_name_taken', 409, `The name "${name}" is already used by ${taken.id}.`, {
    remedy: 'Choose another name.',
  });
}
