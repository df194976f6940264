import { queryOptions } from '@tanstack/react-query';
import type {
  Sandbox,
  SandboxEmitted,
  SandboxEvent,
  SandboxFaultChanges,
  SandboxTrafficChanges,
} from '@contract/sandbox';
import { change, read } from './request';

/** Faults expire, and may be changed by other clients. */
const POLL_MS = 2_000;

/** The state of the demo's sandbox. */
export const sandboxQuery = queryOptions({
  queryKey: ['sandbox'],
  queryFn: () => read<Sandbox>('/sandbox'),
  refetchInterval: POLL_MS,
});

/** Sets the event rate, or sends a burst. */
export const changeTraffic = (changes: SandboxTrafficChanges): Promise<Sandbox> =>
  change<Sandbox>('PATCH', '/sandbox/traffic', changes);

/** Turns faults on and off. */
export const changeFaults = (changes: SandboxFaultChanges): Promise<Sandbox> =>
  change<Sandbox>('PATCH', '/sandbox/faults', changes);

/** Emits one event. */
export const emitEvent = (event: SandboxEvent): Promise<SandboxEmitted> =>
  change<SandboxEmitted>('POST', '/sandbox/events', event);
