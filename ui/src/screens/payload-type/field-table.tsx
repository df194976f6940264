import type { CSSProperties } from 'react';
import type { PayloadNode } from '@contract/payload-type';
import { ProgressBar } from '../../components/progress-bar';
import { formatCount, formatShare } from '../../format/number';
import { describeTypes } from '../../labels/payload-labels';
import classes from './field-table.module.css';
import type { Field } from './fields-of';

const SHOWN_VALUES = 6;

/** The fields of a payload as a tree: how many objects have them, their types, and what their values have in common. */
export function FieldTable({ fields }: { fields: readonly Field[] }) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">Present</th>
          <th scope="col">Values</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ path, name, depth, node, isMember }) => (
          <tr key={path} style={{ '--depth': depth } as CSSProperties}>
            <th scope="row" title={path} aria-label={path}>
              {name === '*' && !isMember ? 'any key' : name}
            </th>
            <td className={classes.types}>{describeTypes(node)}</td>
            <td>{isMember && <Presence path={path} node={node} />}</td>
            <td className={classes.values}>{describeValues(name, node)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Presence({ path, node: { share, required } }: { path: string; node: PayloadNode }) {
  return (
    <div className={classes.presence} data-required={required || undefined}>
      <ProgressBar label={`Objects with ${path}`} done={share} total={1} tone={required ? 'ok' : 'idle'} />
      {required ? 'required' : formatShare(share, 1)}
    </div>
  );
}

const formatNumber = (value: number) => (Number.isInteger(value) ? formatCount(value) : String(value));

/** The range of ids says nothing. */
const ID = /(^|_)id$|Id$/;

/** The formats that all values have, a vocabulary, or a range. */
function describeValues(name: string, { formats = [], values = [], range }: PayloadNode): string {
  const more = values.length > SHOWN_VALUES ? [`${values.length - SHOWN_VALUES} more`] : [];
  const hasRange = range !== undefined && values.length === 0 && !ID.test(name);
  const numbers = hasRange ? [range.map(formatNumber).join(' to ')] : [];
  return [...formats, ...numbers, ...values.slice(0, SHOWN_VALUES), ...more].join(', ');
}
