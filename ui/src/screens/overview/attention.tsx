import { Button } from '@mantine/core';
import { IconChevronDown, IconCircleCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { connectionQuery } from '../../api/connection';
import { outagesQuery } from '../../api/outages';
import { rejectionsQuery } from '../../api/rejections';
import { statsQuery } from '../../api/stats';
import { subscriptionQuery } from '../../api/subscription';
import { targetsQuery } from '../../api/targets';
import { useNow } from '../../components/use-now';
import { withLocalTimes } from '../../text/local-times';
import classes from './attention.module.css';
import { findAttention, type Known } from './find-attention';
import { RemedyButton } from './remedy-button';

function useKnown(): Known {
  return {
    connection: useQuery(connectionQuery).data,
    subscription: useQuery(subscriptionQuery).data,
    stats: useQuery(statsQuery).data,
    // A lag grows without anything being said of it.
    targets: useQuery({ ...targetsQuery, refetchInterval: LOOK_AT_LAG_EVERY_MS }).data,
    outages: useInfiniteQuery(outagesQuery).data?.pages[0]?.data,
    newestRejection: useInfiniteQuery(rejectionsQuery).data?.pages[0]?.data[0],
  };
}

const LOOK_AT_LAG_EVERY_MS = 15_000;

/**
 * What wants a hand, with the hand beside it. One line is always there, so that trouble that comes or goes does not
 * push the list about; more than one finding unfolds.
 */
export function Attention() {
  const now = useNow();
  const known = useKnown();
  const [open, setOpen] = useState(false);
  const findings = findAttention(known, now);
  const shown = open ? findings : findings.slice(0, 1);
  const rest = findings.length - 1;
  const asking = known.connection === undefined || known.stats === undefined;
  return (
    <section
      className={classes.attention}
      aria-label="What needs attention"
      data-calm={findings.length === 0 || undefined}
    >
      {findings.length === 0 && (
        <p className={classes.line}>
          {!asking && <IconCircleCheck size={16} aria-hidden className={classes.well} />}
          {asking ? 'Looking…' : 'Nothing needs your attention.'}
        </p>
      )}
      {shown.map((finding, place) => (
        <div key={finding.id} className={classes.line} data-tone={finding.tone}>
          <span className={classes.dot} aria-hidden />
          <span className={classes.sentence}>{withLocalTimes(finding.sentence)}</span>
          <span className={classes.acts}>
            {place === 0 && rest > 0 && (
              <Button
                variant="subtle"
                className={classes.more}
                aria-expanded={open}
                onClick={() => setOpen(!open)}
                rightSection={<IconChevronDown size={14} aria-hidden className={classes.chevron} />}
              >
                {open ? 'Fewer' : `${rest} more`}
              </Button>
            )}
            <RemedyButton remedy={finding.remedy} />
          </span>
        </div>
      ))}
    </section>
  );
}
