import { IconPower } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { DEFAULT_PAUSE_REASON } from '@contract/constants';
import type { Target } from '@contract/target';
import type { TargetHealth } from '@contract/target-health';
import { GuardedButton } from '../../components/guarded-button';
import { Help } from '../../components/help';
import { None } from '../../components/none';
import { Panel } from '../../components/panel';
import { TimeAgo, TimeLeft } from '../../components/time-ago';
import { useNow } from '../../components/use-now';
import { formatCount, formatNoun } from '../../format/number';
import { formatOneUnit } from '../../format/relative';
import { localizeTimes } from '../../format/exact';
import { needsAttention } from '../../labels/state-label';
import { describeFailures, reasonOf, targetLabels } from '../../labels/target-labels';
import stack from '../../components/stack.module.css';
import note from '../../components/note.module.css';
import { BlockingDeadLetters } from '../../features/targets/blocking-dead-letters';
import { EnableButton } from '../../features/targets/enable-button';
import { useBlockingCount } from '../../features/targets/use-blocking-count';
import { Latency } from '../../features/targets/latency';
import { SuccessRate } from '../../features/targets/success-rate';
import { isAboutOrder } from './policy-facts';
import { DisableDialog } from './disable-dialog';
import classes from './state-panel.module.css';

/** The status of a target in sentences, its backlog and its warnings. */
export function StatePanel({ target }: { target: Target }) {
  const now = useNow();
  const [confirming, setConfirming] = useState(false);
  const blocking = useBlockingCount(target);
  const { open, dead, in_flight: inFlight, oldest_at: oldest } = target.backlog;
  const warnings = target.warnings.filter((warning) => !isAboutOrder(warning) && !isAboutState(warning));
  const { last_delivered_at: delivered } = target.health;
  return (
    <Panel title="Status">
      <div className={stack.medium}>
        <div className={classes.sentence} aria-live="polite">
          <Sentences target={target} />
          {target.warnings.filter(isAboutState).map((warning) => (
            <p key={warning} className={note.note}>
              {warning}
            </p>
          ))}
        </div>
        {dead > blocking && (
          <p>
            {formatNoun(dead, 'dead letter')} to retry or discard:{' '}
            <Link to="/failures" search={{ target: target.id }}>
              Review
            </Link>
          </p>
        )}
        <dl className={classes.metrics}>
          <Metric name="Queued">{formatCount(Math.max(0, open - inFlight))}</Metric>
          <Metric name="In flight">{formatCount(inFlight)}</Metric>
          <Metric name="Oldest in queue">
            {open === 0 ? <None /> : formatOneUnit(oldest === null ? 0 : now - new Date(oldest).getTime())}
          </Metric>
          <Metric
            name="Success (1 h)"
            help={
              <Help about="Success" schema="Target">
                <p>
                  Of the attempts in the last hour, how many were delivered. A retry that succeeds counts once
                  as failed and once as delivered.
                </p>
              </Help>
            }
          >
            <SuccessRate health={target.health} />
          </Metric>
          <Metric name="Latency (p95, 1 h)">
            <Latency health={target.health} />
          </Metric>
          <Metric name="Last delivery">{delivered === null ? <None /> : <TimeAgo at={delivered} />}</Metric>
        </dl>
        {warnings.length > 0 && (
          <ul className={classes.notes} aria-label="Warnings">
            {warnings.map((warning) => (
              <li key={warning} className={note.note}>
                {localizeTimes(warning)}
              </li>
            ))}
          </ul>
        )}
        <div className={classes.foot}>
          {target.enabled ? (
            <GuardedButton
              leftSection={<IconPower size={14} aria-hidden />}
              onClick={() => setConfirming(true)}
            >
              Disable
            </GuardedButton>
          ) : (
            <EnableButton target={target} />
          )}
          {target.enabled && (
            <span className={classes.muted}>
              Disabled targets miss new events; paused targets queue them.
            </span>
          )}
        </div>
      </div>
      <DisableDialog target={target} opened={confirming} close={() => setConfirming(false)} />
    </Panel>
  );
}

/** Said in place of a sentence about the state. */
const isAboutState = (warning: string): boolean => warning.startsWith('The target is disabled.');

function Metric({ name, help, children }: { name: string; help?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.metric}>
      <dt>
        {name}
        {help}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function describeWork(health: TargetHealth): string {
  if (health.states.includes('failing')) return `${describeFailures(health)}.`;
  if (health.attempts === 0 && health.last_delivered_at === null)
    return 'Ready. No event was sent to it yet.';
  return health.states.includes('behind')
    ? 'Delivering, but deliveries are more than a minute late.'
    : 'Receiving and delivering events.';
}

/** A target may be disabled, paused and down at the same time; each state explains how it ends. */
function Sentences({ target }: { target: Target }) {
  const { paused, disabled, breaker, backlog, enabled, health, listener } = target;
  const queued = formatNoun(backlog.open, 'delivery queued', 'deliveries queued');
  const blocking = useBlockingCount(target);
  const isOffline = health.states.includes('offline');
  const awaited = listener?.connected === true ? 'its receiver accepts connections' : 'a program connects';
  if (paused === null && disabled === null && breaker === null) {
    if (!enabled && !isOffline && blocking === 0) return null;
    const [state] = targetLabels(target);
    const isBad = state !== undefined && needsAttention(state);
    return (
      <p {...(isBad && { className: note.note, 'data-tone': state.tone })}>
        {blocking > 0 ? (
          <>
            <BlockingDeadLetters target={target.id} count={blocking} />.
          </>
        ) : isOffline ? (
          `Offline: ${queued} until ${awaited}.`
        ) : (
          describeWork(health)
        )}
      </p>
    );
  }
  return (
    <>
      {disabled !== null && (
        <div className={note.note} data-tone="bad">
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
        <div className={note.note}>
          <h3>
            Paused <TimeAgo at={paused.at} />
          </h3>
          <p>
            {paused.reason !== DEFAULT_PAUSE_REASON && `“${reasonOf(paused)}”. `}
            {queued}. New events wait until{' '}
            {paused.until !== null && (
              <>
                the pause ends <TimeLeft at={paused.until} />, or{' '}
              </>
            )}
            it is resumed.
          </p>
        </div>
      )}
      {breaker !== null && (
        <div className={note.note} data-tone="bad">
          <h3>
            Down: circuit breaker opened <TimeAgo at={breaker.opened_at} />
          </h3>
          <p>
            {reasonOf(breaker)}. {queued}; retries are on hold and attempts aren’t used up.
          </p>
          <p>
            {breaker.probes === 0
              ? 'No probe sent yet'
              : `${formatNoun(breaker.probes, 'probe')} failed so far`}
            {paused === null ? (
              <>
                ; next probe <TimeLeft at={breaker.probe_at} />. Deliveries resume gradually after the first
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
