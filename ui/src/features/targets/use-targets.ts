import { useQuery } from '@tanstack/react-query';
import { targetsQuery } from '../../api/targets';

/** The age of a backlog grows without any socket message. */
const BACKLOG_REFETCH_MS = 15_000;

/** The targets, with their current health. */
export const useTargets = () => useQuery({ ...targetsQuery, refetchInterval: BACKLOG_REFETCH_MS });
