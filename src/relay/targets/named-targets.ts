import { RelayError } from '../ground/relay-error';
import type { TargetRecord } from './target-record';
import type { TargetsService } from './targets.service';

/**
 * The targets that a request names to send stored events to.
 * @throws RelayError `target_unknown`, 404; `target_gone`, 409: what is sent there would become dead letters at once
 */
export function namedTargets(targets: TargetsService, ids: readonly string[]): TargetRecord[] {
  return [...new Set(ids)].map((id) => {
    const target = targets.byId(id);
    if (target.disabled === null) return target;
    throw new RelayError(
      'target_gone',
      409,
      `The target "${target.name}" is gone: ${target.disabled.reason}`,
      {
        remedy: 'Enable it once its receiver is back, or leave it out.',
      },
    );
  });
}
