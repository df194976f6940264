import { queryOptions } from '@tanstack/react-query';
import type { Page } from '@contract/page';
import type { Repair, RepairAction, RepairItem, RepairState } from '@contract/repair';
import type { Change } from '../payload/diff-json';
import { writtenChanges } from '../payload/written-changes';
import { memberOf, readExact } from './entities';
import { change, read } from './request';

const POLL_MS = 1_000;
/** Of the deals that differ, so many are shown. */
const SHOWN_ITEMS = 50;

/** States in which it reads or sends. */
const BUSY: readonly RepairState[] = ['reading', 'settling', 'applying'];

/** Whether it continues by itself, or waits to be applied. */
export const isOpen = ({ state, apply_until: until }: Repair): boolean =>
  BUSY.includes(state) || (state === 'previewed' && until !== null && Date.parse(until) > Date.now());

/** The newest repair, since only one reads or sends at a time; undefined before the first. */
export const newestRepairQuery = queryOptions({
  queryKey: ['repairs', 'newest'],
  queryFn: async () => (await read<Page<Repair>>('/repairs', { limit: 1 })).data[0] ?? null,
  refetchInterval: ({ state: { data } }) => (data && BUSY.includes(data.state) ? POLL_MS : false),
  staleTime: 0,
});

/** The newest repair that has made all deals known; null if none of the last ones has. */
export const lastImportQuery = queryOptions({
  queryKey: ['repairs', 'import'],
  queryFn: async () => {
    const { data } = await read<Page<Repair>>('/repairs', { limit: 50 });
    return data.find(({ purpose, state }) => purpose === 'baseline' && state === 'done') ?? null;
  },
});

/** A deal that differs. */
export type DifferingDeal = Omit<RepairItem, 'changes'> & { changes: Change[] };

/** The first deals that differ. */
export const repairItemsQuery = (id: string) =>
  queryOptions({
    queryKey: ['repairs', id, 'items'],
    queryFn: async (): Promise<DifferingDeal[]> => {
      const path = `/repairs/${encodeURIComponent(id)}/items`;
      const [page, json] = await readExact<Page<RepairItem>>(path, { limit: SHOWN_ITEMS });
      const list = memberOf(json, 'data');
      const written = list?.kind === 'array' ? list.items : [];
      return page.data.map((item, at) => ({
        ...item,
        changes: writtenChanges(memberOf(written[at], 'changes')),
      }));
    },
  });

/** Of outages, by default all that are not dismissed, or what makes all deals known. */
export type RepairInput = { purpose: 'repair'; outage_ids?: string[] } | { purpose: 'baseline' };

/** Begins to read all deals. */
export const startRepair = (input: RepairInput): Promise<Repair> => change<Repair>('POST', '/repairs', input);

/** Sends what was previewed. */
export const applyRepair = (id: string, actions: RepairAction[]): Promise<Repair> =>
  change<Repair>('POST', `/repairs/${encodeURIComponent(id)}/apply`, { actions });

/** Ends it; what was sent stays. */
export const cancelRepair = (id: string): Promise<Repair> =>
  change<Repair>('POST', `/repairs/${encodeURIComponent(id)}/cancel`);
