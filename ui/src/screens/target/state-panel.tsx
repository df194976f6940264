import { IconPower } from '@tabler/icons-react';
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Target } from '../../../../src/contract/target';
import { ActionButton } from '../../components/action-button';
import { Panel } from '../../components/panel';
import { TimeAgo } from '../../components/time-ago';
import { useNow } from '../../components/use-now';
import { formatCount, formatNoun } from '../../format/number';
import { formatSpan } from '../../format/relative';
import { localizeTimes } from '../../format/local-times';
import { reasonOf } from '../../labels/target-labels';
import { DisableDialog } from './disable-dialog';
import classes from './state-panel.module.css';
import { useEnabled } from './use-enabled';

/** How a target stands, in sentences: whether it is sent to, why not, what waits, and what one should know. */
export function StatePanel({ target }: { target: Target }) {
  const now = useNow();
  const enabled = useEnabled(target);
  const [asking, setAsking] = useState(false);
  const { open, in_flight: inFlight, oldest_at: oldest } = target.backlog;
  return (
    <Panel title="Status">
      <div className={classes.parts}>
        <div className={classes.sentence} aria-live="polite">
          <Sentences target={target} />
        </div>
        <dl className={classes.vitals}>
          <Vital name="Queued">{formatCount(Math.max(0, open - inFlight))}</Vital>
          <Vital name="In flight">{formatCount(inFlight)}</Vital>
          <Vital name="Oldest in queue">
            {oldest === null ? 'none' : formatSpan(now - new Date(oldest).getTime())}
          </Vital>
        </dl>
        {target.warnings.length > 0 && (
          <ul className={classes.notes} aria-label="Warnings">
            {target.warnings.map((warning) => (
              <li key={warning} className={classes.note}>
                {localizeTimes(warning)}
              </li>
            ))}
          </ul>
        )}
        <div className={classes.foot}>
          {target.enabled ? (
            <Button leftSection={<IconPower size={14} aria-hidden />} onClick={() => setAsking(true)}>
              Disable{' '}
            </Button>
          ) : (
            <ActionButton
              leftSection={<IconPower size={14} aria-hidden />}
              pending={enabled.isPending}
              action={() => enabled.mutate(true)}
            >
              Enable{' '}
            </ActionButton>
          )}
          {target.enabled && (
            <span className={classes.muted}>
              Disabled targets miss new events; paused targets queue them.
            </span>
          )}
        </div>
      </div>
      <DisableDialog target={target} opened={asking} close={() => setAsking(false)} />
    </Panel>
  );
}

function Vital({ name, children }: { name: string; children: string }) {
  return (
    <div className={classes.vital}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What keeps a target from being sent to may come together; each says what ends it. */
function Sentences({ target: { paused, disabled, breaker, backlog, enabled } }: { target: Target }) {
  const queued = formatNoun(backlog.open, 'delivery queued', 'deliveries queued');
  if (paused === null && disabled === null && breaker === null) {
    return (
      <p>
        {enabled ? 'Receiving and delivering events.' : 'Disabled. Deliveries created before are still sent.'}{' '}
        {backlog.open === 0 ? 'No backlog.' : `${queued} or in flight.`}
      </p>
    );
  }
  return (
    <>
      {disabled !== null && (
        <div className={classes.note} data-tone="bad">
          <h3>
            Disabled <TimeAgo at={disabled.at} />
          </h3>
          <p>
            {reasonOf(disabled)}. It receives no new events, and its queued deliveries failed. Once the
            receiver is back, enable the target, then retry the failed deliveries and replay the missed
            events.
          </p>
        </div>
      )}
      {paused !== null && (
        <div className={classes.note}>
          <h3>
            Paused <TimeAgo at={paused.at} />
          </h3>
          <p>
            {reasonOf(paused)}. {queued}; new events are queued too and sent when you resume.
          </p>
        </div>
      )}
      {breaker !== null && (
        <div className={classes.note} data-tone="bad">
          <h3>
            Down: circuit breaker opened <TimeAgo at={breaker.opened_at} />
          </h3>
          <p>
            {breaker.reason.replace(/\.$/, '')}. {queued}; retries are on hold and attempts aren’t used up.
          </p>
          <p>
            {breaker.probes === 0
              ? 'No probe sent yet'
              : `${formatNoun(breaker.probes, 'probe')} failed so far`}
            {paused === null ? (
              <>
                ; next probe <TimeAgo at={breaker.probe_at} />. Deliveries resume gradually after the first
                successful probe.
              </>
            ) : (
              '; no probes are sent while the target is paused.'
            )}
          </p>
        </div>
      )}
    </>
  );
}
