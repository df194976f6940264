import { queryOptions } from '@tanstack/react-query';
import type { Probe } from '../../../src/contract/probe';
import type { RotationRequest, Subscription } from '../../../src/contract/subscription';
import { change, read } from './request';

/** Our webhook registration at Co-Pilot. */
export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: () => read<Subscription>('/subscription'),
});

/** Holds the registration against what Co-Pilot has, and sets it right. */
export const repairSubscription = (): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/repair');

/** Takes a new key and a new secret; `delete_first` is for a Co-Pilot that refuses a second webhook. */
export const rotateSubscription = (input: RotationRequest): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/rotate', input);

/** Switches the webhook off at Co-Pilot: what happens meanwhile is lost. */
export const pauseSubscription = (): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/pause');

/** Switches the webhook on again. */
export const resumeSubscription = (): Promise<Subscription> =>
  change<Subscription>('POST', '/subscription/resume');

/** Deletes a webhook at Co-Pilot that only notifications have told of. */
export const deleteReportedWebhook = (id: string): Promise<Subscription> =>
  change<Subscription>('DELETE', `/subscription/webhooks/${encodeURIComponent(id)}`);

/** Sends a request through the public address and sees whether it comes in. */
export const probeLoop = (): Promise<Probe> => change<Probe>('POST', '/subscription/probe');
