import { Panel } from '../../components/panel';
import classes from './what-a-target-gets.module.css';

/** The terms between Switchboard and a target, short enough to be read. */
export function WhatATargetGets() {
  return (
    <Panel title="What a target gets">
      <div className={classes.text}>
        <p>
          The bytes that Co-Pilot sent, unchanged, as a <code>POST</code>. Beside Co-Pilot’s own signature
          each request is signed in the Standard Webhooks format (<code>webhook-id</code>,{' '}
          <code>webhook-timestamp</code>, <code>webhook-signature</code>) with a secret that you see once,
          right after this.
        </p>
        <pre className={classes.sample}>
          {[
            'POST /hook',
            'content-type: application/json',
            'webhook-id: evt_…',
            'webhook-timestamp: 1795217042',
            'webhook-signature: v1,…',
            'switchboard-event-type: deal.created',
            'switchboard-attempt: 1',
          ].join('\n')}
        </pre>
        <p>
          <strong>Any 2xx means it has it.</strong> Everything else, and no answer within 10 s, is tried again
          with growing pauses for about half a day; then the delivery is dead and can be retried or replayed.
          All of this can be set.
        </p>
        <p>
          <strong>410 disables the target</strong>: new events pass it by, and what is open is given up.
        </p>
        <p>
          <strong>The id stays the same</strong> on every retry and replay, so a target can tell what it has
          had.
        </p>
      </div>
    </Panel>
  );
}
