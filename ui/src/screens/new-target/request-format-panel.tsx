import { Panel } from '../../components/panel';
import { TextBlock } from '../../components/text-block';
import classes from './request-format-panel.module.css';

/** What a webhook target receives and how its responses are handled. */
export function RequestFormatPanel() {
  return (
    <Panel title="What a webhook target receives">
      <div className={classes.text}>
        <p>
          The bytes that Co&#8209;Pilot sent, unchanged, in a <code>POST</code>. In addition to
          Co&#8209;Pilot’s own signature, each request is signed in the Standard Webhooks format (
          <code>webhook-id</code>, <code>webhook-timestamp</code>, <code>webhook-signature</code>) with a
          secret that is shown once, in the next step.
        </p>
        <TextBlock>
          {[
            'POST /hook',
            'content-type: application/json',
            'webhook-id: evt_…',
            'webhook-timestamp: 1795217042',
            'webhook-signature: v1,…',
            'switchboard-event-type: deal.created',
            'switchboard-attempt: 1',
          ].join('\n')}
        </TextBlock>
        <p>
          <strong>Any 2xx response counts as delivered.</strong> Any other response, or none within 10 s, is
          retried with increasing delays for about 12 hours. After that the delivery becomes a dead letter,
          which you can retry or discard. All of this is configurable.
        </p>
        <p>
          <strong>410 disables the target</strong>: it receives no new events, and its queued deliveries
          become dead letters.
        </p>
        <p>
          <strong>The id stays the same</strong> across retries and replays, so a target can detect
          duplicates.
        </p>
      </div>
    </Panel>
  );
}
