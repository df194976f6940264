import { queryOptions } from '@tanstack/react-query';
import type {
  Sandbox,
  SandboxEmitted,
  SandboxEvent,
  SandboxFaults,
  SandboxTraffic,
} from '../../../src/contract/sandbox';
import { change, read } from './request';

/** Faults end by themselves, and others may turn them too. */
const POLL_MS = 2_000;

/** What the demo's sandbox does; it alone knows. */
export const sandboxQuery = queryOptions({
  queryKey: ['sandbox'],
  queryFn: () => read<Sandbox>('/sandbox'),
  refetchInterval: POLL_MS,
});

/** How many events happen there, and a burst of them. */
export const changeTraffic = (changes: SandboxTraffic): Promise<Sandbox> =>
  change<Sandbox>('PATCH', '/sandbox/traffic', changes);

/** Turns faults on and off. */
export const changeFaults = (changes: SandboxFaults): Promise<Sandbox> =>
  change<Sandbox>('PATCH', '/sandbox/faults', changes);

/** Lets one event happen there. */
export const emitEvent = (event: SandboxEvent): Promise<SandboxEmitted> =>
  change<SandboxEmitted>('POST', '/sandbox/events', event);
