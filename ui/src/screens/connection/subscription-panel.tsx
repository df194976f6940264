import { useQuery } from '@tanstack/react-query';
import { connectionQuery } from '../../api/connection';
import { subscriptionQuery } from '../../api/subscription';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeAgo } from '../../components/time-ago';
import { subscriptionLabel } from '../../labels/connection-labels';
import stack from '../../components/stack.module.css';
import note from '../../components/note.module.css';
import { ForeignWebhooks } from './foreign-webhooks';
import { ReportedWebhooks } from './reported-webhooks';
import { StateDescription } from './state-description';
import { SubscriptionActions } from './subscription-actions';
import classes from './subscription-panel.module.css';
import type { Subscription } from '@contract/subscription';
import { localizeTimes } from '../../format/exact';

/** The webhook at Co-Pilot: address, events and signature. */
export function SubscriptionPanel() {
  const query = useQuery(subscriptionQuery);
  const { data: subscription } = query;
  const { data: connection } = useQuery(connectionQuery);
  if (subscription === undefined) {
    return (
      <Panel title="Subscription">
        <PendingData query={query} rows={5} />
      </Panel>
    );
  }
  const { signature_header: header, signature_header_before: previousHeader } = subscription;
  return (
    <Panel title="Subscription">
      <div className={stack.large}>
        <StateDescription
          state={subscriptionLabel(subscription)}
          sentence={subscription.sentence}
          remedy={subscription.remedy}
          alertType="relay.subscription.down"
        />
        <SubscriptionNotices subscription={subscription} />
        {(subscription.state !== 'none' || connection?.state !== 'not_connected') && (
          <SubscriptionActions subscription={subscription} />
        )}
        <Facts>
          <Fact name="Address">{subscription.url === null ? null : <Mono>{subscription.url}</Mono>}</Fact>
          <Fact name="Webhook id">
            {subscription.webhook_id === null ? null : <Mono>{subscription.webhook_id}</Mono>}
          </Fact>
          <Fact name="Signature header">
            {header === null ? 'detected from the first notification' : <Mono>{header}</Mono>}
            {previousHeader !== null && (
              <p className={classes.drift}>
                Previously <Mono>{previousHeader}</Mono>. Signatures are still verified.
              </p>
            )}
          </Fact>
          <Fact name="Last notification" none="none since startup">
            {subscription.last_notification_at === null ? null : (
              <TimeAgo at={subscription.last_notification_at} />
            )}
          </Fact>
          <Fact name="Registered" none="not yet">
            {subscription.registered_at === null ? null : <TimeAgo at={subscription.registered_at} />}
          </Fact>
          <Fact name="Last seen at Co-Pilot" none="not yet">
            {subscription.checked_at === null ? null : <TimeAgo at={subscription.checked_at} />}
          </Fact>
        </Facts>
        <div>
          <h3>Events</h3>
          {subscription.events.length === 0 ? (
            <p className={classes.none}>No events requested yet.</p>
          ) : (
            <ul className={classes.events}>
              {subscription.events.map((type) => (
                <li key={type}>
                  <Mono>{type}</Mono>
                </li>
              ))}
            </ul>
          )}
        </div>
        <ReportedWebhooks reported={subscription.reported} />
        <ForeignWebhooks foreign={subscription.foreign} />
      </div>
    </Panel>
  );
}

/** A running rotation and an unusual silence. */
function SubscriptionNotices({ subscription: { rotation, silence } }: { subscription: Subscription }) {
  return (
    <div aria-live="polite" className={classes.notices}>
      {rotation !== null && (
        <div className={note.note} data-tone="busy">
          <h3>
            Rotation in progress, started <TimeAgo at={rotation.started_at} />
          </h3>
          <p>{localizeTimes(rotation.sentence)}</p>
        </div>
      )}
      {silence !== null && (
        <div className={note.note} data-tone="warn">
          <h3>Unusually silent</h3>
          <p>{localizeTimes(silence.sentence)}</p>
        </div>
      )}
    </div>
  );
}
