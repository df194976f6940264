import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCloudOff, IconProgress } from '@tabler/icons-react';
import { useState } from 'react';
import { useNow } from '../../components/use-now';
import { useLiveState } from '../../live/live-context';
import { formatCount } from '../../format/number';
import { localizeTimes } from '../../format/local-times';
import { AlertFacts } from './alert-facts';
import { describeHealth } from './describe-health';
import type { OverviewData } from './find-issues';
import type { Issue } from './issue';
import classes from './headline.module.css';
import { RemedyButton } from './remedy-button';

/** So many are shown at once; the rest unfolds. */
const SHOWN = 4;

interface State {
  tone: 'ok' | 'warn' | 'bad' | 'idle';
  title: string;
  icon: typeof IconCircleCheck;
}

function stateOf(
  known: OverviewData,
  findings: readonly Issue[],
  { lost, isNew }: { lost: boolean; isNew: boolean },
): State {
  if (lost) return { tone: 'warn', title: 'Can’t reach Switchboard', icon: IconCloudOff };
  const asking = [known.connection, known.subscription, known.stats, known.targets].includes(undefined);
  const wanting = findings.filter(({ tone }) => tone === 'bad' || tone === 'warn');
  if (wanting.length > 0) {
    const title =
      wanting.length === 1
        ? 'One thing needs attention'
        : `${formatCount(wanting.length)} things need attention`;
    return { tone: wanting[0]?.tone === 'bad' ? 'bad' : 'warn', title, icon: IconAlertTriangle };
  }
  if (asking) return { tone: 'idle', title: 'Checking…', icon: IconProgress };
  if (isNew) return { tone: 'idle', title: 'Let’s get you set up', icon: IconProgress };
  return { tone: 'ok', title: 'All systems operational', icon: IconCircleCheck };
}

interface HeadlineProps {
  known: OverviewData;
  findings: readonly Issue[];
  /** The first run is under way. */
  isNew: boolean;
}

/** Whether all is well, in one line; below it what wants a hand, with the hand beside it. */
export function Headline({ known, findings, isNew }: HeadlineProps) {
  const now = useNow();
  const lost = useLiveState() === 'lost';
  const [open, setOpen] = useState(false);
  const { tone, title, icon: Icon } = stateOf(known, findings, { lost, isNew });
  const shown = open ? findings : findings.slice(0, SHOWN);
  const rest = findings.length - SHOWN;
  return (
    <section className={classes.headline} aria-label="What needs attention" data-tone={tone}>
      <div className={classes.state}>
        <Icon size={28} stroke={1.7} aria-hidden className={classes.icon} />
        <div className={classes.words}>
          <div aria-live="polite">
            <h2 className={classes.title}>{title}</h2>
          </div>
          <p className={classes.more}>
            {lost ? 'Showing the last known data. It refreshes automatically.' : describeHealth(known, now)}
          </p>
        </div>
      </div>
      {findings.length > 0 && (
        <ul className={classes.findings}>
          {shown.map((finding) => (
            <li key={finding.id} className={classes.line} data-tone={finding.tone}>
              <span className={classes.dot} aria-hidden />
              <span className={classes.sentence}>
                {localizeTimes(finding.sentence.replace(/\.?$/, '.'))}
                {finding.alert !== undefined && <AlertFacts alert={finding.alert} />}
              </span>
              <span className={classes.acts}>
                <RemedyButton remedy={finding.remedy} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && (
        <Button
          variant="subtle"
          className={classes.unfold}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? 'Show fewer' : `Show ${formatCount(rest)} more`}
        </Button>
      )}
    </section>
  );
}
