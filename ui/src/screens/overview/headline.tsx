import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCloudOff, IconProgress } from '@tabler/icons-react';
import { useState } from 'react';
import { useNow } from '../../components/use-now';
import { useLiveState } from '../../live/live-context';
import { formatCount, formatNoun } from '../../format/number';
import { localizeTimes } from '../../format/exact';
import { countAttention, describeHealth } from './describe-health';
import type { OverviewData } from './overview-data';
import type { Issue } from './issue';
import classes from './headline.module.css';
import { RemedyButton } from './remedy-button';
import type { AlertSummary } from '@contract/alert';
import { TimeAgo } from '../../components/time-ago';
import { systemEventName } from '../../labels/system-events';

const INITIALLY_SHOWN = 4;

interface State {
  tone: 'ok' | 'warn' | 'bad' | 'idle';
  title: string;
  icon: typeof IconCircleCheck;
}

function stateOf(
  data: OverviewData,
  issues: readonly Issue[],
  { lost, isNew }: { lost: boolean; isNew: boolean },
): State {
  if (lost) return { tone: 'warn', title: 'Can’t reach Switchboard', icon: IconCloudOff };
  const isLoading = [data.connection, data.subscription, data.stats, data.targets].includes(undefined);
  const count = countAttention(issues);
  if (count > 0) {
    const title = count === 1 ? 'One thing needs attention' : `${formatCount(count)} things need attention`;
    return { tone: issues[0]?.tone === 'bad' ? 'bad' : 'warn', title, icon: IconAlertTriangle };
  }
  if (isLoading) return { tone: 'idle', title: 'Checking…', icon: IconProgress };
  if (isNew) return { tone: 'idle', title: 'Let’s get you set up', icon: IconProgress };
  return { tone: 'ok', title: 'All systems operational', icon: IconCircleCheck };
}

interface HeadlineProps {
  data: OverviewData;
  issues: readonly Issue[];
  /** Whether setup is not complete. */
  isNew: boolean;
}

/** The overall state in one line, and the issues with their remedies. */
export function Headline({ data, issues, isNew }: HeadlineProps) {
  const now = useNow();
  const lost = useLiveState() === 'lost';
  const [open, setOpen] = useState(false);
  const { tone, title, icon: Icon } = stateOf(data, issues, { lost, isNew });
  const shown = open ? issues : issues.slice(0, INITIALLY_SHOWN);
  const rest = issues.length - INITIALLY_SHOWN;
  return (
    <section className={classes.headline} aria-label="What needs attention" data-tone={tone}>
      <div className={classes.state}>
        <Icon size={28} stroke={1.7} aria-hidden className={classes.icon} />
        <div className={classes.text}>
          <div aria-live="polite">
            <h2 className={classes.title}>{title}</h2>
          </div>
          <p className={classes.more}>
            {lost ? 'Showing the last known data. It refreshes automatically.' : describeHealth(data, now)}
          </p>
        </div>
      </div>
      {issues.length > 0 && (
        <ul>
          {shown.map((issue) => (
            <li key={issue.id} className={classes.line} data-tone={issue.tone}>
              <span className={classes.dot} aria-hidden />
              <span className={classes.sentence}>
                {localizeTimes(issue.sentence.replace(/\.?$/, '.'))}
                {issue.alert !== undefined && <AlertFacts alert={issue.alert} />}
              </span>
              <span className={classes.actions}>
                <RemedyButton remedy={issue.remedy} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && (
        <Button
          variant="subtle"
          className={classes.expand}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Show fewer' : `Show ${formatCount(rest)} more`}
        </Button>
      )}
    </section>
  );
}

/** The remedy of an alert, its severity, start and count. */
function AlertFacts({ alert }: { alert: AlertSummary }) {
  const { remedy, severity, type, since, count } = alert;
  return (
    <>
      <span className={classes.remedy}>{localizeTimes(remedy)}</span>
      <span className={classes.facts}>
        {severity === 'critical' ? 'Critical' : 'Warning'}, {systemEventName(type)}, raised{' '}
        <TimeAgo at={since} />
        {count > 1 && `, ${formatNoun(count, 'time')}`}
      </span>
    </>
  );
}
