import { queryOptions } from '@tanstack/react-query';
import type { ReachabilityCheck } from '@contract/reachability';
import type { RotationRequest, Subscription } from '@contract/subscription';
import { change, read } from './request';

/** The webhook registration at Co-Pilot. */
export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: () => read<Subscription>('/subscription'),
});

/** Reconciles the registration with Co-Pilot. */
export const repairSubscription = (): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/repair');

/** Rotates key and secret; `delete_first` is for when Co-Pilot rejects a second webhook. */
export const rotateSubscription = (input: RotationRequest): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/rotate', input);

/** Deactivates the webhook at Co-Pilot; events are lost meanwhile. */
export const pauseSubscription = (): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/pause');

/** Activates the webhook again. */
export const resumeSubscription = (): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/resume');

/** Deletes a webhook at Co-Pilot that is known only from notifications. */
export const deleteReportedWebhook = (id: string): Promise<Subscription> =>
  change<Subscription>('DELETE', `/subscription/webhooks/${encodeURIComponent(id)}`);

/** Sends a request to the public address and checks whether it arrives. */
export const testReachability = (): Promise<ReachabilityCheck> =>
  change<ReachabilityCheck>('POST', '/subscription/reachability');
