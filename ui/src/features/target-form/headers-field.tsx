import { ActionIcon, Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import classes from './headers-field.module.css';
import fields from './fields.module.css';
import type { FormPart } from './form-part';
import { isFilled, leavesOrigin, type HeaderDraft } from './target-draft';

const MAX_HEADERS = 20;

/** Headers that each request carries beside ours. */
export function HeadersField({ draft, change, errorOf }: FormPart) {
  const { headers } = draft;
  const isStored = !leavesOrigin(draft);
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  // The daemon counts those that it was sent.
  const filled = headers.filter(isFilled);
  const edit = (key: number, part: Partial<HeaderDraft>) =>
    change({ headers: headers.map((header) => (header.key === key ? { ...header, ...part } : header)) });
  const append = () => {
    const key = Math.max(-1, ...headers.map((header) => header.key)) + 1;
    change({ headers: [...headers, { key, name: '', value: '', secret: false, isStored: false }] });
    // The new row is drawn by then.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus(),
    );
  };
  return (
    <>
      <p className={fields.muted}>
        Such as an <code>authorization</code> header that your service requires. Secret values are encrypted
        and never shown again. <code>Host</code>, connection headers and headers set by Switchboard are not
        allowed.
      </p>
      {headers.length > 0 && (
        <ul ref={list} className={classes.list}>
          {headers.map((header) => (
            <HeaderRow
              key={header.key}
              header={header}
              isStored={isStored && header.isStored && header.secret}
              nameError={errorOf(`headers.${filled.indexOf(header)}.name`)}
              valueError={errorOf(`headers.${filled.indexOf(header)}.value`)}
              edit={(part) => edit(header.key, part)}
              remove={() => {
                change({ headers: headers.filter(({ key }) => key !== header.key) });
                add.current?.focus();
              }}
            />
          ))}
        </ul>
      )}
      <div>
        <Button
          ref={add}
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={headers.length >= MAX_HEADERS}
          onClick={append}
        >
          Add header
        </Button>
      </div>
    </>
  );
}

interface HeaderRowProps {
  header: HeaderDraft;
  /** The daemon's value stays while nothing is typed. */
  isStored: boolean;
  nameError: string | undefined;
  valueError: string | undefined;
  edit: (part: Partial<HeaderDraft>) => void;
  remove: () => void;
}

function HeaderRow({ header, isStored, nameError, valueError, edit, remove }: HeaderRowProps) {
  const { name, value, secret } = header;
  const called = name.trim() === '' ? 'the header' : name.trim();
  const Value = secret ? PasswordInput : TextInput;
  return (
    <li className={classes.header}>
      <TextInput
        aria-label="Header name"
        placeholder="authorization"
        value={name}
        error={nameError}
        onChange={({ currentTarget }) => edit({ name: currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <Value
        aria-label={`Value of ${called}`}
        placeholder={isStored ? 'Set; leave empty to keep it' : 'value'}
        value={value}
        error={valueError}
        onChange={({ currentTarget }) => edit({ value: currentTarget.value })}
        autoComplete={secret ? 'new-password' : 'off'}
        spellCheck={false}
      />
      <Checkbox
        className={classes.secret}
        label="Secret"
        aria-label={`Secret: ${called}`}
        checked={secret}
        onChange={({ currentTarget }) => edit({ secret: currentTarget.checked })}
      />
      <ActionIcon aria-label={`Remove ${called}`} onClick={remove}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}
