import { memo } from 'react';
import {
  truncate,
  previewJson,
  isContainer,
  pathText,
  sizeOf,
  escapeInvisible,
  writeJson,
  type Json,
} from '../../payload/json';
import { formatBytes, formatCount, formatNoun } from '../../format/number';
import { CopyText } from './copy-text';
import classes from './payload-tree.module.css';
import { CHILDREN_SHOWN, STRING_SHOWN, type TreeRow, type ValueRow } from './tree-rows';

interface TreeItemProps {
  row: TreeRow;
  isSelected: boolean;
  select: (key: string) => void;
}

const GLIMPSE = 60;
/** More of one text than this would take long to draw. */
const MOST_SHOWN = 20_000;
/** Further in, rows begin at the same place. */
const DEEPEST_INDENT = 24;

/** One row of the tree. It is drawn anew only where it changes: a tree has hundreds. */
export const TreeItem = memo(
  function TreeItem({ row, isSelected, select }: TreeItemProps) {
    const name =
      row.kind === 'more' ? moreLabel(row.left) : `${nameOf(row)}: ${previewJson(row.json, GLIMPSE)}`;
    return (
      <div
        role="treeitem"
        aria-level={row.level}
        aria-label={name}
        aria-selected={isSelected}
        {...(row.kind === 'value' && row.isOpen !== null && { 'aria-expanded': row.isOpen })}
        tabIndex={isSelected ? 0 : -1}
        data-key={row.key}
        className={classes.row}
        style={{ paddingLeft: 8 + Math.min(row.level - 1, DEEPEST_INDENT) * 16 }}
        onFocus={() => select(row.key)}
      >
        {row.kind === 'more' ? (
          <span className={classes.more} data-turns>
            {name}
          </span>
        ) : (
          <Value row={row} />
        )}
        {row.kind === 'value' && isSelected && (
          <span className={classes.copy}>
            {row.path.length > 0 && <CopyText label="Copy path" text={() => pathText(row.path)} />}
            <CopyText label="Copy value" text={() => plainText(row.json)} />
          </span>
        )}
      </div>
    );
  },
  (before, after) => before.isSelected === after.isSelected && isSameRow(before.row, after.row),
);

const isSameRow = (one: TreeRow, other: TreeRow): boolean =>
  one.kind === 'value' && other.kind === 'value' && one.json === other.json && one.isOpen === other.isOpen;

const moreLabel = (left: number): string =>
  left > CHILDREN_SHOWN ? `Show ${CHILDREN_SHOWN} more of ${formatCount(left)}` : `Show ${left} more`;

const nameOf = ({ path }: ValueRow): string => String(path.at(-1) ?? 'Payload');

function Value({ row }: { row: ValueRow }) {
  const { json, isOpen, path } = row;
  return (
    <>
      <span className={classes.head} data-turns>
        <span className={classes.fold} data-open={isOpen ?? undefined} />
        {path.length > 0 && <bdi className={classes.label}>{escapeInvisible(nameOf(row))}</bdi>}
      </span>
      {isContainer(json) && isOpen === true ? (
        <span className={classes.count}>
          {json.kind === 'object' ? formatNoun(sizeOf(json), 'field') : formatNoun(sizeOf(json), 'item')}
        </span>
      ) : (
        <bdi className={classes[json.kind]}>
          {isOpen === true ? (
            <LongText json={json} />
          ) : (
            previewJson(json, isContainer(json) ? GLIMPSE : STRING_SHOWN)
          )}
        </bdi>
      )}
    </>
  );
}

function LongText({ json }: { json: Json }) {
  const text = writeJson(json);
  if (text.length <= MOST_SHOWN) return escapeInvisible(text);
  return (
    <>
      {escapeInvisible(truncate(text, MOST_SHOWN))}…
      <span className={classes.count}>
        {' '}
        {formatBytes(text.length)} total; copy the value to get all of it
      </span>
    </>
  );
}

/** A text itself, without quotes and escapes; anything else as JSON. */
const plainText = (json: Json): string => (json.kind === 'string' ? json.value : writeJson(json));
