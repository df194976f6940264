import type { ForeignWebhook } from '@contract/subscription';
import { Mono } from '../../components/mono';
import { formatNoun } from '../../format/number';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import classes from './foreign-webhooks.module.css';

const STATUS_LABELS = new Map([
  [true, 'active'],
  [false, 'inactive'],
]);

/** Webhooks at Co-Pilot that do not belong to this Switchboard. */
export function ForeignWebhooks({ foreign }: { foreign: ForeignWebhook[] }) {
  if (foreign.length === 0) return null;
  return (
    <details className={classes.foreign}>
      <summary>
        <DisclosureChevron /> {formatNoun(foreign.length, 'other webhook')} at Co-Pilot
      </summary>
      <p className={classes.lead}>
        They do not use a key of this Switchboard, so it never changes or deletes them.
      </p>
      <ul className={classes.list}>
        {foreign.map(({ webhook_id: id, url, events, active }, index) => (
          // A webhook without an id has no other unique field.
          <li key={id ?? index}>
            <Mono>{url ?? 'address not shown'}</Mono>
            <p className={classes.more}>
              {[
                id,
                active === null ? null : STATUS_LABELS.get(active),
                formatNoun(events.length, 'event type'),
              ]
                .filter((part) => part !== null)
                .join(', ')}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
