import { Button, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { Change } from '../../payload/diff-json';
import { previewPair } from '../../payload/preview-pair';
import { previewJson, pathText, escapeInvisible } from '../../payload/json';
import { formatCount } from '../../format/number';
import classes from './changes.module.css';

interface ChangesProps {
  data: readonly Change[];
  outsideData: readonly Change[];
}

const INITIALLY_SHOWN = 8;
const SHOWN_MORE = 100;
const MAX_VALUE_LENGTH = 80;

/** The differences field by field; only the first ones are shown until expanded. */
export function Changes({ data, outsideData }: ChangesProps) {
  const [shown, setShown] = useState(INITIALLY_SHOWN);
  const all = [...data, ...outsideData];
  if (all.length === 0) return <p className={classes.none}>No changes.</p>;
  const hidden = all.length - shown;
  return (
    <>
      <ul className={classes.changes}>
        {all.slice(0, shown).map((change, index) => (
          <li
            key={`${index < data.length} ${pathText(change.path)} ${change.kind}`}
            className={classes.change}
          >
            <bdi className={classes.path}>{escapeInvisible(pathText(change.path))}</bdi>
            {index >= data.length && <span className={classes.text}>outside data</span>}
            <Values change={change} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="subtle" size="compact-sm" onClick={() => setShown(shown + SHOWN_MORE)}>
          Show {hidden > SHOWN_MORE ? `${SHOWN_MORE} more of ${formatCount(hidden)}` : `${hidden} more`}
        </Button>
      )}
    </>
  );
}

function Values({ change }: { change: Change }) {
  if (change.kind !== 'changed') {
    const value = change.kind === 'added' ? change.after : change.before;
    return (
      <span className={classes.values}>
        <span className={classes.text}>{change.kind}</span>{' '}
        <bdi className={change.kind === 'added' ? classes.after : classes.before}>
          {previewJson(value, MAX_VALUE_LENGTH)}
        </bdi>
      </span>
    );
  }
  const [before, after] = previewPair(change.before, change.after);
  return (
    <span className={classes.values}>
      <bdi className={classes.before}>{before}</bdi> <span aria-hidden>→</span>{' '}
      <VisuallyHidden>changed to</VisuallyHidden> <bdi className={classes.after}>{after}</bdi>
    </span>
  );
}
