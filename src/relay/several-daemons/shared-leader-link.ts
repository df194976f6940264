import type { IncomingMessage, ServerResponse } from 'node:http';
import { completeMessage, LeaderLink, type LeaderMessageDraft } from '../ground/leader-link';
import { NonOverlapping } from '../ground/non-overlapping';
import type { Notice } from '../database/postgres/notices';
import type { Forwarder } from './forwarder';
import type { Membership } from './membership';

const SEND_EVERY_MS = 1_000;

/** Passes messages to the leader through the database; at the leader, it reads them. For one application of this daemon. */
export class SharedLeaderLink extends LeaderLink {
  /** By subject: a newer message replaces an older one. */
  private readonly unsent = new Map<string | symbol, LeaderMessageDraft>();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly reads = new NonOverlapping(
    async () => {
      for (const message of await this.membership.records.takeMessages(this.epoch!))
        this.messages.emit(message);
    },
    // They are read after the next renewal of the lease.
    () => undefined,
  );

  constructor(
    private readonly membership: Membership,
    /** The one in which this application leads; null if it does not. */
    private readonly epoch: number | null,
    private readonly forwarder: Pick<Forwarder, 'forward'>,
  ) {
    super();
    if (epoch === null) this.timer = setInterval(() => void this.sendAll(), SEND_EVERY_MS);
  }

  override send(draft: LeaderMessageDraft, subject?: string): void {
    if (this.epoch !== null) super.send(draft);
    else this.unsent.set(subject ?? Symbol(), draft);
  }

  override passRequest(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.epoch !== null || this.membership.leaderAddress === null) return false;
    void this.forwarder.forward(request, response);
    return true;
  }

  receive(notice: Notice): void {
    if (notice.kind === 'told' && this.epoch !== null) this.messages.emit(notice.message);
    else if (notice.kind === 'messages') this.readMessages();
  }

  /** Reads what daemons have left for the leader, also what they left before this daemon led. */
  readMessages(): void {
    if (this.epoch !== null) void this.reads.run();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.reads.stop();
    await this.sendAll();
  }

  private async sendAll(): Promise<void> {
    const drafts = [...this.unsent];
    this.unsent.clear();
    for (const [subject, draft] of drafts) {
      const message = completeMessage(draft);
      try {
        const { notices, records } = this.membership;
        // Attempts in flight matter only now: a later leader has no use for them.
        if (message.kind === 'in_flight') await notices.send({ kind: 'told', message });
        else await records.leaveMessage(message);
      } catch {
        // Retried within a second, unless there is a newer message about the subject.
        if (!this.unsent.has(subject)) this.unsent.set(subject, draft);
      }
    }
  }
}
