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
    <Panel title="State">
      <div className={classes.parts}>
        <div className={classes.sentence} aria-live="polite">
          <Sentences target={target} />
        </div>
        <dl className={classes.vitals}>
          <Vital name="Waiting">{formatCount(Math.max(0, open - inFlight))}</Vital>
          <Vital name="In flight">{formatCount(inFlight)}</Vital>
          <Vital name="Lag: oldest waiting">
            {oldest === null ? 'none' : formatSpan(now - new Date(oldest).getTime())}
          </Vital>
        </dl>
        {target.warnings.length > 0 && (
          <ul className={classes.notes} aria-label="What one should know">
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
              Switch off
            </Button>
          ) : (
            <ActionButton
              leftSection={<IconPower size={14} aria-hidden />}
              pending={enabled.isPending}
              act={() => enabled.mutate(true)}
            >
              Switch on
            </ActionButton>
          )}
          {target.enabled && (
            <span className={classes.muted}>Switched off, new events pass it by; paused, they wait.</span>
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
  const waits = formatNoun(backlog.open, 'delivery waits', 'deliveries wait');
  if (paused === null && disabled === null && breaker === null) {
    return (
      <p>
        {enabled
          ? 'It takes new events, and they are sent as they come.'
          : 'It is switched off; what it took before still goes out.'}{' '}
        {backlog.open === 0
          ? 'Nothing waits.'
          : `${waits} or ${backlog.open === 1 ? 'is on its' : 'are on their'} way.`}
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
            {reasonOf(disabled)}. New events pass it by, and what was open is among the failures. Once the
            receiver is back, switch the target on; what failed can then be retried, and what passed it by
            replayed.
          </p>
        </div>
      )}
      {paused !== null && (
        <div className={classes.note}>
          <h3>
            Paused <TimeAgo at={paused.at} />
          </h3>
          <p>
            {reasonOf(paused)}. {waits}; what comes gathers too, and all of it goes out when you resume.
          </p>
        </div>
      )}
      {breaker !== null && (
        <div className={classes.note} data-tone="bad">
          <h3>
            Down: the breaker opened <TimeAgo at={breaker.opened_at} />
          </h3>
          <p>
            {breaker.reason.replace(/\.$/, '')}. {waits} without spending tries.
          </p>
          <p>
            {breaker.probes === 0
              ? 'No probe has been sent yet'
              : `${formatNoun(breaker.probes, 'probe')} failed since`}
            {paused === null ? (
              <>
                ; the next is due <TimeAgo at={breaker.probe_at} />. The first that is answered lets the rest
                go out, gently.
              </>
            ) : (
              '; none is sent while it is paused.'
            )}
          </p>
        </div>
      )}
    </>
  );
}
