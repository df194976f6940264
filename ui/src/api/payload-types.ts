import { queryOptions } from '@tanstack/react-query';
import type {
  PayloadType,
  PayloadTypeQuery,
  PayloadTypes,
  PayloadTypeVersions,
} from '@contract/payload-type';
import { change, read, readBytes } from './request';

/** What is learned from an event causes no message. */
const REFETCH_MS = 15_000;

const pathOf = (type: string) => `/types/${encodeURIComponent(type)}`;

/** The event types whose payloads were examined. */
export const payloadTypesQuery = queryOptions({
  queryKey: ['types'],
  queryFn: () => read<PayloadTypes>('/types'),
  refetchInterval: REFETCH_MS,
});

/** The fields of a type, in one of its versions or as learned until now. */
export const payloadTypeQuery = (type: string, version?: string) =>
  queryOptions({
    queryKey: ['types', type, version ?? 'latest'],
    queryFn: () => read<PayloadType>(pathOf(type), { version }),
    refetchInterval: version === undefined ? REFETCH_MS : false,
  });

/** The versions of a type, newest first. */
export const payloadVersionsQuery = (type: string) =>
  queryOptions({
    queryKey: ['types', type, 'versions'],
    queryFn: () => read<PayloadTypeVersions>(`${pathOf(type)}/versions`),
    refetchInterval: REFETCH_MS,
  });

/** Accepts the newest version of a type. */
export const acceptType = (type: string): Promise<PayloadType> =>
  change<PayloadType>('POST', `${pathOf(type)}/accept`);

export type ExportFormat = PayloadTypeQuery['format'];

/** Where the schemas can be read in a language. @param type all if missing */
export const exportPath = (format: ExportFormat, type: string | undefined): string =>
  `/types/export?format=${format}${type === undefined ? '' : `&type=${encodeURIComponent(type)}`}`;

/** The text of an export. */
export const exportQuery = (format: ExportFormat, type: string | undefined) =>
  queryOptions({
    queryKey: ['types', 'export', format, type],
    queryFn: async () => new TextDecoder().decode(await readBytes(exportPath(format, type))),
    staleTime: 0,
  });
