import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCloudOff, IconProgress } from '@tabler/icons-react';
import { useState } from 'react';
import { useNow } from '../../components/use-now';
import { useLoss } from '../../live/use-loss';
import { keepUnits } from '../../format/keep-units';
import { formatCount } from '../../format/number';
import type { Issue } from '@contract/health';
import { describeHealth } from './describe-health';
import { countAttention, groupIssues, type IssueGroup } from './group-issues';
import type { OverviewData } from './overview-data';
import classes from './headline.module.css';
import { SingleIssueRow } from './issue-row';
import { labelOf } from './issue-view';
import { SnoozedIssues } from './snoozed-issues';
import { TargetIssuesRow, useTargetOf } from './target-issues-row';

const INITIALLY_SHOWN = 4;

interface State {
  tone: 'ok' | 'warn' | 'bad' | 'idle';
  title: string;
  icon: typeof IconCircleCheck;
}

function stateOf(
  data: OverviewData,
  groups: readonly IssueGroup[],
  { loss, isNew, hasSnoozed }: { loss: ReturnType<typeof useLoss>; isNew: boolean; hasSnoozed: boolean },
): State {
  if (loss === 'no_leader')
    return { tone: 'warn', title: 'No daemon leads at the moment', icon: IconCloudOff };
  if (loss !== null) return { tone: 'warn', title: 'Can’t reach Switchboard', icon: IconCloudOff };
  const isLoading = [data.health, data.connection, data.subscription, data.stats, data.targets].includes(
    undefined,
  );
  const count = countAttention(groups);
  if (count > 0) {
    const title = count === 1 ? 'One thing needs attention' : `${formatCount(count)} things need attention`;
    return {
      tone: groups.some((group) => group.tone === 'bad') ? 'bad' : 'warn',
      title,
      icon: IconAlertTriangle,
    };
  }
  if (isLoading) return { tone: 'idle', title: 'Checking…', icon: IconProgress };
  if (isNew) return { tone: 'idle', title: 'Let’s get you set up', icon: IconProgress };
  if (hasSnoozed) return { tone: 'ok', title: 'Nothing else needs attention', icon: IconCircleCheck };
  return { tone: 'ok', title: 'All systems operational', icon: IconCircleCheck };
}

interface HeadlineProps {
  data: OverviewData;
  issues: readonly Issue[];
  /** Hidden by an operator. */
  snoozed: readonly Issue[];
  /** Whether setup is not complete. */
  isNew: boolean;
}

/** The overall state in one line, and the issues with their remedies. */
export function Headline({ data, issues, snoozed, isNew }: HeadlineProps) {
  const now = useNow();
  const loss = useLoss();
  const [open, setOpen] = useState(false);
  const groups = groupIssues(issues, data.targets);
  const { tone, title, icon: Icon } = stateOf(data, groups, { loss, isNew, hasSnoozed: snoozed.length > 0 });
  // A button would be as high as the last one.
  const rest = groups.length === INITIALLY_SHOWN + 1 ? 0 : groups.length - INITIALLY_SHOWN;
  const listed = open || rest === 0 ? groups : groups.slice(0, INITIALLY_SHOWN);
  return (
    <section className={classes.headline} aria-label="What needs attention" data-tone={tone}>
      <div className={classes.state}>
        <Icon size={28} stroke={1.7} aria-hidden className={classes.icon} />
        <div className={classes.text}>
          <div aria-live="polite">
            <h2 className={classes.title}>{title}</h2>
          </div>
          <p className={classes.more}>
            {loss !== null
              ? 'Showing the last known data. It refreshes automatically.'
              : keepUnits(describeHealth(data, now))}
          </p>
        </div>
      </div>
      {issues.length > 0 && (
        <ul>
          {listed.map((group) => (
            <GroupRow key={group.id} group={group} />
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
          {open ? 'Show fewer' : `Show ${formatCount(rest)} more: ${namesOf(groups.slice(INITIALLY_SHOWN))}`}
        </Button>
      )}
      <SnoozedIssues groups={groupIssues(snoozed, data.targets)} />
    </section>
  );
}

const MAX_NAMED = 3;

const namesOf = (groups: readonly IssueGroup[]): string =>
  [...groups.slice(0, MAX_NAMED).map(labelOf), ...(groups.length > MAX_NAMED ? ['…'] : [])].join(', ');

function GroupRow({ group }: { group: IssueGroup }) {
  const target = useTargetOf(group);
  return target === null ? (
    <SingleIssueRow group={group} />
  ) : (
    <TargetIssuesRow group={group} target={target} />
  );
}
