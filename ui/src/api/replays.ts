import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../src/contract/page';
import type {
  ReplayCreate,
  ReplayDetail,
  ReplayFilter,
  ReplayPlan,
  ReplayPreview,
} from '../../../src/contract/replay';
import { change, read } from './request';

/** The input for a replay; times are ISO 8601. */
export interface ReplayInput extends Omit<ReplayCreate, 'filter'> {
  filter: Omit<ReplayFilter, 'since' | 'until'> & { since?: string; until?: string };
}

/** What an unfinished replay accepts. */
export type ReplayAction = 'pause' | 'resume' | 'cancel';

const PAGE_SIZE = 20;
const POLL_MS = 1_000;

/** Whether it may change without user input. */
const isActive = ({ state }: ReplayPlan): boolean => state === 'running' || state === 'cancelling';

/** Whether it has not ended yet. */
export const isUnfinished = (replay: ReplayPlan): boolean => isActive(replay) || replay.state === 'paused';

/** All replays, newest first, a page at a time; polled every second while one is active. */
export const replaysQuery = infiniteQueryOptions({
  queryKey: ['replays'],
  queryFn: ({ pageParam }) => read<Page<ReplayPlan>>('/replays', { limit: PAGE_SIZE, cursor: pageParam }),
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

/** What such a replay would send. */
export const replayPreviewQuery = (input: ReplayInput) =>
  queryOptions({
    queryKey: ['replay-preview', input],
    queryFn: () => change<ReplayPreview>('POST', '/replays/preview', input),
    placeholderData: (before) => before,
  });

/** Starts one. */
export const startReplay = (input: ReplayInput): Promise<ReplayDetail> =>
  change<ReplayDetail>('POST', '/replays', input);

/** Pauses, resumes or cancels one. */
export const changeReplay = (id: string, action: ReplayAction): Promise<ReplayDetail> =>
  change<ReplayDetail>('POST', `/replays/${encodeURIComponent(id)}/${action}`);
