import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { PublicAddress } from '../settings/public-address';
import type { Registration } from './registration';
import { RegistrationStore } from './registration.store';
import { Rotation } from './rotation';
import { WebhookDeletion } from './webhook-deletion';
import { WebhookRegistration } from './webhook-registration';
import { WebhookVerification } from './webhook-verification';

/**
 * How long a replaced webhook is kept beside its successor. Deleting it earlier could end the retries of its last
 * notifications, which take up to 30 seconds: 5 and 25, if each delay begins after the previous attempt, the longest
 * interpretation of the document (6.3).
 */
const KEEP_REPLACED_MS = 30_000;

export interface ReconciliationOutcome {
  /** Whether all steps that were possible now succeeded. */
  succeeded: boolean;
  /**
   * In how many ms to reconcile again, to delete replaced webhooks that are kept until then; null if there are none.
   */
  nextStepMs: number | null;
}

const FAILED: ReconciliationOutcome = { succeeded: false, nextStepMs: null };
/** No further run follows. */
const STOPPED: ReconciliationOutcome = { succeeded: true, nextStepMs: null };

/**
 * Keeps our webhook registered, exactly once. A registration is stored as `registering`, sent, then `active`. If its
 * outcome is unknown, Co-Pilot's list is searched before it is sent again. If our webhook was deleted at Co-Pilot, or
 * its URL is no longer ours, a successor with a new key is registered. The replaced webhook is deleted after that, as
 * far as it still exists.
 */
@Injectable()
export class Reconciliation {
  /** The current registration, and when this process first saw it, by monotonic time. */
  private current: { id: number | null; firstSeenAt: number } = { id: null, firstSeenAt: 0 };

  constructor(
    private readonly registrations: RegistrationStore,
    private readonly registrar: WebhookRegistration,
    private readonly verification: WebhookVerification,
    private readonly rotation: Rotation,
    private readonly deletion: WebhookDeletion,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Compares Co-Pilot with the desired state and repairs it.
   * @param signal aborted at shutdown; no further step is started after that
   * @throws RelayError `storage_failed`
   */
  async run(signal: AbortSignal): Promise<ReconciliationOutcome> {
    let current = this.registrations.current();
    if (current === null || current.publicUrl !== this.address.url)
      current = await this.registrar.createSuccessor();
    if (current.state === 'active') {
      const outcome = await this.verification.verify(current);
      // After `id_unknown`, there is nothing to repair: the id is learned from a list or a notification.
      if (outcome === 'unclear') return FAILED;
      if (outcome === 'gone' || outcome === 'moved') current = await this.registrar.createSuccessor();
    }
    if (current.state !== 'active' && !(await this.register(current, signal))) return FAILED;
    const rotating = this.registrations.rotating();
    if (rotating !== null && !signal.aborted && (await this.rotation.resume(rotating)).kind === 'unclear')
      return FAILED;
    return signal.aborted ? STOPPED : this.deleteReplaced();
  }

  /** @returns whether it is active */
  private async register(pending: Registration, signal: AbortSignal): Promise<boolean> {
    if (pending.deleteFirst && !(await this.deletion.deleteReplaced(this.registrations.replaced())))
      return false;
    if (signal.aborted) return false;
    const outcome = await this.registrar.register(pending);
    if (outcome.kind === 'active') return true;
    const { reason: problem, remedy } = outcome;
    const state = outcome.kind === 'rejected' ? 'failed' : 'registering';
    await this.registrations.update(pending.id, { state, problem, remedy });
    this.log.warn(
      { action: 'register', subscription_id: pending.id, outcome: state, problem },
      'webhook registration failed',
    );
    return false;
  }

  private async deleteReplaced(): Promise<ReconciliationOutcome> {
    const waitMs = KEEP_REPLACED_MS - this.currentAgeMs();
    const mustWait = waitMs > 0;
    const replaced = this.registrations.replaced();
    // Retries to a former PUBLIC_URL no longer reach us, so waiting for them is pointless.
    const deletable = replaced.filter(({ publicUrl }) => !mustWait || publicUrl !== this.address.url);
    const succeeded = await this.deletion.deleteReplaced(deletable);
    return { succeeded, nextStepMs: deletable.length < replaced.length ? waitMs : null };
  }

  /** How long ago this process first saw the current registration; at most its age. */
  private currentAgeMs(): number {
    const now = this.clock.monotonic();
    const id = this.registrations.current()?.id ?? null;
    if (this.current.id !== id) this.current = { id, firstSeenAt: now };
    return now - this.current.firstSeenAt;
  }
}
