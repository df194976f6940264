import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import type { PayloadFields } from '@contract/payload-field';
import { RequiredInput } from '../required-input';
import classes from './filter-builder.module.css';
import {
  isBuilderOperator,
  looksAtChanges,
  operatorChoices,
  takesList,
  takesValue,
} from './builder-operators';
import type { ConditionDraft } from './filter-draft';
import { parseOperand } from './operand-text';
import { isKnownPath, suggestPath } from './suggest-path';

interface ConditionRowProps {
  condition: ConditionDraft;
  /** From 1, to tell rows apart. */
  number: number;
  /** What stored payloads have; undefined until it is known. */
  known: PayloadFields | undefined;
  change: (condition: ConditionDraft) => void;
  remove: () => void;
}

const OPERATORS = operatorChoices('events');

const isInRecord = (path: string) => path.startsWith('data.');

/** A condition: field, operator, value. Fields and values of stored payloads are suggested. */
export function ConditionRow({ condition, number, known, change, remove }: ConditionRowProps) {
  const id = useId();
  const { path, operator, value } = condition;
  const field = known?.fields.find((one) => one.path === path);
  const comparesStates = looksAtChanges(operator);
  const fields = (known?.fields ?? []).filter((one) => !comparesStates || isInRecord(one.path));
  /** A field that holds only strings is compared with a string, even if it looks like a number. */
  const quote = () => {
    const isText = field !== undefined && field.kinds.every((kind) => kind === 'string' || kind === 'null');
    if (isText && typeof parseOperand(value, operator) === 'number')
      change({ ...condition, value: JSON.stringify(value.trim()) });
  };
  return (
    <div className={classes.condition}>
      <RequiredInput
        aria-label={`Field of condition ${number}`}
        missing="Enter a field."
        placeholder="data.status_id"
        value={path}
        data-path
        list={`${id}-fields`}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget }) => change({ ...condition, path: currentTarget.value })}
      />
      <datalist id={`${id}-fields`}>
        {fields.map((one) => (
          <option key={one.path} value={one.path}>
            {`${one.kinds.join(' or ')}: ${one.samples.slice(0, 2).map(String).join(', ')}`}
          </option>
        ))}
      </datalist>
      <NativeSelect
        aria-label={`Operator of condition ${number}`}
        data={OPERATORS}
        value={operator}
        onChange={({ currentTarget: { value: chosen } }) => {
          if (isBuilderOperator(chosen)) change({ ...condition, operator: chosen });
        }}
      />
      {takesValue(operator) ? (
        <RequiredInput
          aria-label={`Value of condition ${number}`}
          missing="Enter a value."
          placeholder={takesList(operator) ? '2, 3' : String(field?.samples[0] ?? '2')}
          value={value}
          list={`${id}-values`}
          spellCheck={false}
          autoComplete="off"
          onBlur={quote}
          onChange={({ currentTarget }) => change({ ...condition, value: currentTarget.value })}
        />
      ) : (
        <span />
      )}
      <datalist id={`${id}-values`}>
        {field?.samples.map((sample) => (
          <option key={String(sample)} value={String(sample)}>
            {String(sample)}
          </option>
        ))}
      </datalist>
      <ActionIcon aria-label={`Remove condition ${number}`} onClick={remove}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
      <PathHint
        path={path.trim()}
        known={known}
        mustBeInRecord={comparesStates}
        choose={(chosen) => change({ ...condition, path: chosen })}
      />
    </div>
  );
}

interface PathHintProps {
  path: string;
  known: PayloadFields | undefined;
  mustBeInRecord: boolean;
  choose: (path: string) => void;
}

/** Says that no stored event has the field, and which one was probably meant, or that it cannot be compared. */
function PathHint({ path, known, mustBeInRecord, choose }: PathHintProps) {
  const isUnknown =
    path !== '' && known !== undefined && known.fields.length > 0 && !isKnownPath(path, known.fields);
  const suggestion = isUnknown ? suggestPath(path, known.fields) : null;
  const isOutside = !isUnknown && mustBeInRecord && path !== '' && !isInRecord(path);
  return (
    <div className={classes.hint} aria-live="polite">
      {isOutside && (
        <>
          Only fields of the record, such as <code>data.status_id</code>, are compared with the state before.
        </>
      )}
      {isUnknown && (
        <>
          None of the newest stored events has <code>{path}</code>.
          {suggestion !== null && (
            <Button variant="subtle" onClick={() => choose(suggestion)}>
              Did you mean {suggestion}?
            </Button>
          )}
        </>
      )}
    </div>
  );
}
