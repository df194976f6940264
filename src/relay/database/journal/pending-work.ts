import { RelayError } from '../../ground/relay-error';
import type { GroupOutcome } from './group';
import type {
  ChangeOutcome,
  Company,
  ConcludeDraft,
  DatabaseSize,
  DeliveryResult,
  PruneOutcome,
  PruneStep,
  ScheduleDraft,
  Statement,
} from '../journal';

export interface PendingSettle {
  result: DeliveryResult;
  resolve: () => void;
}

export interface PendingChange {
  statements: Statement[];
  company: Company | null;
  schedule: ScheduleDraft[];
  conclude: ConcludeDraft[];
  resolve: (outcome: ChangeOutcome) => void;
  reject: (error: RelayError) => void;
}

export interface PendingPrune {
  step: PruneStep;
  resolve: (outcome: PruneOutcome) => void;
  reject: (error: RelayError) => void;
}

export interface PendingShrink {
  pages: number;
  resolve: (size: DatabaseSize) => void;
  reject: (error: RelayError) => void;
}

/** The company is told first, and keeps the rows of its own statements. */
export function answerChange(
  { statements, company, resolve, reject }: PendingChange,
  outcome: GroupOutcome['changes'][number],
): void {
  if ('failed' in outcome) {
    company?.settled(null);
    reject(storageFailed(outcome.failed));
    return;
  }
  company?.settled(outcome.rows.slice(statements.length));
  resolve({
    rows: outcome.rows.slice(0, statements.length),
    scheduled: outcome.scheduled,
    concluded: outcome.concluded.map((concluded) => concluded?.was ?? null),
  });
}

export function answerPrune(
  { resolve, reject }: PendingPrune,
  outcome: NonNullable<GroupOutcome['pruned']>,
): void {
  if ('failed' in outcome) {
    reject(storageFailed(outcome.failed));
    return;
  }
  const { removed, deadLetters, cancelled, size } = outcome;
  resolve({ removed, deadLetters, cancelled, size });
}

export function answerShrink(
  { resolve, reject }: PendingShrink,
  outcome: NonNullable<GroupOutcome['shrunk']>,
): void {
  if ('failed' in outcome) reject(storageFailed(outcome.failed));
  else resolve(outcome);
}

function storageFailed(code: string): RelayError {
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return new RelayError('conflict', 409, 'The change contradicts what is stored.', { cause: code });
  }
  return new RelayError('storage_failed', 503, 'The database could not be written; nothing was changed.', {
    remedy: 'Check the disk of DATA_DIR (space, errors), then try again.',
    cause: code,
  });
}
