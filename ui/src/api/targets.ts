import { queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../src/contract/page';
import type { Target, TargetCreated, TargetPatch, TestOutcome } from '../../../src/contract/target';
import { change, read } from './request';

/** What a form gives to make a target. */
export interface TargetDraft {
  name: string;
  url: string;
  events: string[];
  enabled: boolean;
}

const MOST_TARGETS = 200;
const pathOf = (id: string, act = '') => `/targets/${encodeURIComponent(id)}${act}`;

/** Every target, with state and backlog. */
export const targetsQuery = queryOptions({
  queryKey: ['targets'],
  queryFn: () => read<Page<Target>>('/targets', { limit: MOST_TARGETS }),
  select: (page) => page.data,
});

/** One target. */
export const targetQuery = (id: string) =>
  queryOptions({ queryKey: ['targets', id], queryFn: () => read<Target>(pathOf(id)) });

/** Makes a target; the answer holds its secret, this once. */
export const createTarget = (draft: TargetDraft): Promise<TargetCreated> =>
  change<TargetCreated>('POST', '/targets', draft);

/** Changes a target's name, address or events. */
export const editTarget = (id: string, patch: TargetPatch): Promise<Target> =>
  change<Target>('PATCH', pathOf(id), patch);

/** Removes a target. */
export const deleteTarget = (id: string): Promise<void> => change<void>('DELETE', pathOf(id));

/** Sends one signed sample and waits for the outcome. */
export const testTarget = (id: string): Promise<TestOutcome> =>
  change<TestOutcome>('POST', pathOf(id, '/test'));

/** Lets deliveries gather instead of sending them. */
export const pauseTarget = (id: string): Promise<Target> => change<Target>('POST', pathOf(id, '/pause'));

/** Sends what has gathered, and what comes. */
export const resumeTarget = (id: string): Promise<Target> => change<Target>('POST', pathOf(id, '/resume'));
