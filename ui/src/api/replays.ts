import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Page } from '@contract/page';
import type {
  ReplayCreate,
  ReplayDetail,
  ReplayFilter,
  ReplaySummary,
  ReplayPreview,
} from '@contract/replay';
import { change, read } from './request';

/** The input for a replay; times are ISO 8601. */
export interface ReplayInput extends Omit<ReplayCreate, 'filter'> {
  filter: Omit<ReplayFilter, 'since' | 'until'> & { since?: string; until?: string };
}

/** An action on an unfinished replay. */
export type ReplayAction = 'pause' | 'resume' | 'cancel';

const PAGE_SIZE = 20;
const POLL_MS = 1_000;

/** Whether the replay changes without user input. */
const isActive = ({ state }: ReplaySummary): boolean => state === 'running' || state === 'cancelling';

/** Whether the replay has not finished. */
export const isUnfinished = (replay: ReplaySummary): boolean => isActive(replay) || replay.state === 'paused';

/** All replays, newest first, page by page; polled every second while one is active. */
export const replaysQuery = infiniteQueryOptions({
  queryKey: ['replays'],
  queryFn: ({ pageParam }) => read<Page<ReplaySummary>>('/replays', { limit: PAGE_SIZE, cursor: pageParam }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
  refetchInterval: ({ state }) =>
    state.data?.pages.some((page) => page.data.some(isActive)) === true ? POLL_MS : false,
});

/** One replay with its progress per target. */
export const replayQuery = (id: string) =>
  queryOptions({
    queryKey: ['replays', id],
    queryFn: () => read<ReplayDetail>(`/replays/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data !== undefined && isActive(state.data) ? POLL_MS : false),
  });

/** What a replay would send. */
export const replayPreviewQuery = (input: ReplayInput) =>
  queryOptions({
    queryKey: ['replay-preview', input],
    queryFn: () => change<ReplayPreview>('POST', '/replays/preview', input),
    placeholderData: keepPreviousData,
    // It counts events, and the plan is shown meanwhile.
    meta: { mayBeSlow: true },
  });

/** Starts a replay. */
export const startReplay = (input: ReplayInput): Promise<ReplayDetail> =>
  change<ReplayDetail>('POST', '/replays', input);

/** Pauses, resumes or cancels a replay. */
export const changeReplay = (id: string, action: ReplayAction): Promise<ReplayDetail> =>
  change<ReplayDetail>('POST', `/replays/${encodeURIComponent(id)}/${action}`);
