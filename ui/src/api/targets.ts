import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Filter, FilterPreview, FilterPreviewQuery } from '@contract/filter';
import type { Page } from '@contract/page';
import type { PayloadFields } from '@contract/payload-field';
import type { Target, TargetCreate, TargetCreated, TargetPatch, TargetPatched } from '@contract/target';
import type { TargetExam } from '@contract/target-exam';
import type { ChangedTargets, TargetsPause, TargetsResume } from '@contract/target-pause';
import type { SecretRotation } from '@contract/target-secret';
import type { TargetTest } from '@contract/target-test';
import type {
  MatchRequest,
  MessagePreview,
  MessagePreviewQuery,
  TargetMatches,
  TargetSample,
  TestOutcome,
} from '@contract/target-test';
import { change, read } from './request';

/** The input for a new target. */
export interface TargetInput extends Omit<TargetCreate, 'backfill_since'> {
  /** ISO 8601; events stored since then are replayed to the target. Without it, only new events are sent. */
  backfill_since?: string;
}

const PAGE_SIZE = 200;
const pathOf = (id: string, action = '') => `/targets/${encodeURIComponent(id)}${action}`;

/** All targets, with state and backlog. */
export const targetsQuery = queryOptions({
  queryKey: ['targets'],
  queryFn: () => read<Page<Target>>('/targets', { limit: PAGE_SIZE }),
  select: (page) => page.data,
});

/** One target. */
export const targetQuery = (id: string) =>
  queryOptions({ queryKey: ['targets', id], queryFn: () => read<Target>(pathOf(id)) });

/** Creates a target; only this response contains its secret. */
export const createTarget = (input: TargetInput): Promise<TargetCreated> =>
  change<TargetCreated>('POST', '/targets', input);

/** Changes the given fields of a target; the response contains a new secret if one was requested. */
export const editTarget = (id: string, patch: TargetPatch): Promise<TargetPatched> =>
  change<TargetPatched>('PATCH', pathOf(id), patch);

/** Deletes a target. */
export const deleteTarget = (id: string): Promise<void> => change<void>('DELETE', pathOf(id));

/** Sends one signed sample, by default a made-up one, and waits for the outcome. */
export const testTarget = (id: string, sample?: TargetSample): Promise<TestOutcome> =>
  change<TestOutcome>('POST', pathOf(id, '/test'), sample);

/** Sends valid and invalid requests, and waits for what the receiver makes of them. */
export const examineReceiver = (id: string): Promise<TargetExam> =>
  change<TargetExam>('POST', pathOf(id, '/exam'));

/** Sends one signed sample to an address that is not saved, and waits for the outcome. */
export const testAddress = (settings: TargetTest): Promise<TestOutcome> =>
  change<TestOutcome>('POST', '/targets/test', settings);

const PREVIEW_EVENTS = 1_000;

/** Which of the latest events match; an invalid filter is rejected with the paths of its errors. */
export const filterPreviewQuery = (events: string[], filter: Filter | null) =>
  queryOptions({
    queryKey: ['target-preview', events, filter],
    queryFn: () =>
      change<FilterPreview>('POST', '/targets/preview', {
        events,
        filter,
        last: PREVIEW_EVENTS,
      } satisfies FilterPreviewQuery),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** Which targets would receive a notification. */
export const matchesQuery = (type: string, raw: string) =>
  queryOptions({
    queryKey: ['target-matches', type, raw],
    queryFn: () => change<TargetMatches>('POST', '/targets/match', { type, raw } satisfies MatchRequest),
    placeholderData: keepPreviousData,
  });

/** The fields of the newest payloads of these events, with sample values. */
export const payloadFieldsQuery = (events: string[]) =>
  queryOptions({
    queryKey: ['payload-fields', events],
    queryFn: () => read<PayloadFields>('/events/fields', { type: events }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** The message about an alert in a format. */
export const messagePreviewQuery = (
  format: MessagePreviewQuery['format'],
  state: MessagePreviewQuery['state'],
) =>
  queryOptions({
    queryKey: ['message-preview', format, state],
    queryFn: () =>
      change<MessagePreview>('POST', '/targets/preview/message', {
        format,
        state,
      } satisfies MessagePreviewQuery),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** Rotates the secret; the previous one stays valid for a while. */
export const rotateTargetSecret = (id: string, rotation: SecretRotation): Promise<TargetCreated> =>
  change<TargetCreated>('POST', pathOf(id, '/secret/rotate'), rotation);

/** The input of a pause, with `until` in ISO 8601. */
export type PauseInput = Omit<TargetsPause, 'until'> & { until?: string | null };

/** Queues deliveries instead of sending them. */
export const pauseTargets = (input: PauseInput): Promise<ChangedTargets> =>
  change<ChangedTargets>('POST', '/targets/pause', input);

/** Sends queued and new deliveries. */
export const resumeTargets = (input: TargetsResume): Promise<ChangedTargets> =>
  change<ChangedTargets>('POST', '/targets/resume', input);
