import { memo } from 'react';
import {
  escapeInvisible,
  isContainer,
  type Json,
  pathText,
  previewJson,
  sizeOf,
  truncate,
  writeJson,
} from '../../payload/json';
import { formatBytes, formatCount, formatNoun } from '../../format/number';
import classes from './payload-tree.module.css';
import { CHILDREN_PER_STEP, MAX_STRING_LENGTH, type TreeRow, type ValueRow } from './tree-rows';
import { useCopy } from '../../components/use-copy';

interface TreeItemProps {
  row: TreeRow;
  isSelected: boolean;
  select: (key: string) => void;
}

const PREVIEW_LENGTH = 60;
/** Longer texts are slow to render. */
const MAX_TEXT_LENGTH = 20_000;
/** Deeper rows are not indented further. */
const MAX_INDENT_LEVELS = 24;

/** A row of the tree, memoized because a tree has hundreds. */
export const TreeItem = memo(
  function TreeItem({ row, isSelected, select }: TreeItemProps) {
    const name =
      row.kind === 'more'
        ? moreLabel(row.hidden)
        : `${nameOf(row)}: ${previewJson(row.json, PREVIEW_LENGTH)}`;
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
        style={{ paddingLeft: 24 + Math.min(row.level - 1, MAX_INDENT_LEVELS) * 16 }}
        onFocus={() => select(row.key)}
      >
        {row.kind === 'more' ? (
          <span className={classes.more} data-toggle>
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
  left > CHILDREN_PER_STEP ? `Show ${CHILDREN_PER_STEP} more of ${formatCount(left)}` : `Show ${left} more`;

const nameOf = ({ path }: ValueRow): string => String(path.at(-1) ?? 'Payload');

function Value({ row }: { row: ValueRow }) {
  const { json, isOpen, path } = row;
  return (
    <>
      <span className={classes.head} data-toggle>
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
            previewJson(json, isContainer(json) ? PREVIEW_LENGTH : MAX_STRING_LENGTH)
          )}
        </bdi>
      )}
    </>
  );
}

function LongText({ json }: { json: Json }) {
  const text = writeJson(json);
  if (text.length <= MAX_TEXT_LENGTH) return escapeInvisible(text);
  return (
    <>
      {escapeInvisible(truncate(text, MAX_TEXT_LENGTH))}…
      <span className={classes.count}>
        {' '}
        {formatBytes(text.length)} total; copy the value to get all of it
      </span>
    </>
  );
}

/** A string without quotes and escapes; other values as JSON. */
const plainText = (json: Json): string => (json.kind === 'string' ? json.value : writeJson(json));

/** Copies a text, computed on click, and confirms it briefly. */
function CopyText({ label, text }: { label: string; text: () => string }) {
  const { copy, copied } = useCopy();
  return (
    <button type="button" className={classes.button} onClick={() => copy(text())}>
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </button>
  );
}
