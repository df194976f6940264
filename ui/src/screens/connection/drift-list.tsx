import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Drift } from '../../../../src/contract/subscription';
import { Mono } from '../../components/mono';
import { StateWord } from '../../components/state-word';
import { TimeAgo } from '../../components/time-ago';
import { DRIFT_FIELDS, DRIFT_WORDS } from '../../text/connection-words';
import classes from './drift-list.module.css';

const SHOWN_AT_FIRST = 3;

/** What was found otherwise at Co-Pilot than it was left, and what was done about it. */
export function DriftList({ drift }: { drift: Drift[] }) {
  const [all, setAll] = useState(false);
  if (drift.length === 0) return null;
  const shown = all ? drift : drift.slice(0, SHOWN_AT_FIRST);
  return (
    <div>
      <h3>Found otherwise at Co-Pilot</h3>
      <ul className={classes.list}>
        {shown.map(({ at, field, before, after, outcome }) => (
          <li key={`${at} ${field}`} className={classes.drift}>
            <div className={classes.head}>
              <strong>{DRIFT_FIELDS[field]}</strong>
              <StateWord words={DRIFT_WORDS[outcome]} />
              <TimeAgo at={at} className={classes.time} />
            </div>
            <dl className={classes.change}>
              <dt>was</dt>
              <dd>
                <Mono>{before}</Mono>
              </dd>
              <dt>found</dt>
              <dd>
                <Mono>{after}</Mono>
              </dd>
            </dl>
          </li>
        ))}
      </ul>
      {drift.length > SHOWN_AT_FIRST && (
        <Button variant="subtle" mt="sm" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show the newest only' : `Show all ${drift.length}`}
        </Button>
      )}
    </div>
  );
}
