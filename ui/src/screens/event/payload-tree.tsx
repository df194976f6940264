import { JsonView } from 'react-json-view-lite';
import type { Payload } from './payload';
import classes from './payload-tree.module.css';

const LARGE = 100_000;

const style = {
  container: classes.tree ?? '',
  basicChildStyle: classes.child ?? '',
  childFieldsContainer: classes.children ?? '',
  label: classes.label ?? '',
  clickableLabel: classes.label ?? '',
  nullValue: classes.plain ?? '',
  undefinedValue: classes.plain ?? '',
  numberValue: classes.number ?? '',
  stringValue: classes.string ?? '',
  booleanValue: classes.plain ?? '',
  otherValue: classes.number ?? '',
  punctuation: classes.punctuation ?? '',
  expandIcon: classes.expand ?? '',
  collapseIcon: classes.collapse ?? '',
  collapsedContent: classes.collapsed ?? '',
  noQuotesForStringValues: false,
  quotesForFieldNames: false,
  stringifyStringValues: true,
};

/** The payload as a tree that folds; a large one opens folded, since drawing all of it would take seconds. */
export function PayloadTree({ payload }: { payload: Extract<Payload, { kind: 'json' }> }) {
  const depth = payload.text.length > LARGE ? 1 : 4;
  return (
    <JsonView
      data={payload.value}
      style={style}
      shouldExpandNode={(level) => level < depth}
      clickToExpandNode
      aria-label="Payload as a tree"
    />
  );
}
