import { ActionIcon, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import { MAX_TARGET_HEADERS } from '@contract/constants';
import { GuardedButton } from '../../components/guarded-button';
import classes from './headers-field.module.css';
import fields from './fields.module.css';
import type { FormPart } from './form-part';
import { isFilled, needsSecretsAgain, type HeaderDraft } from './target-draft';

/** Extra headers of each request. */
export function HeadersField({ draft, change, errorOf }: FormPart) {
  const { headers } = draft;
  const isStored = !needsSecretsAgain(draft);
  const list = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  // The daemon counts only the headers that it receives.
  const filled = headers.filter(isFilled);
  const edit = (key: number, part: Partial<HeaderDraft>) =>
    change({ headers: headers.map((header) => (header.key === key ? { ...header, ...part } : header)) });
  const append = () => {
    const key = Math.max(-1, ...headers.map((header) => header.key)) + 1;
    change({ headers: [...headers, { key, name: '', value: '', secret: false, isStored: false }] });
    // After the new row is rendered.
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
                addButton.current?.focus();
              }}
            />
          ))}
        </ul>
      )}
      <div>
        <GuardedButton
          ref={addButton}
          leftSection={<IconPlus size={14} aria-hidden />}
          because={
            headers.length >= MAX_TARGET_HEADERS && `A target has at most ${MAX_TARGET_HEADERS} headers.`
          }
          onClick={append}
        >
          Add header
        </GuardedButton>
      </div>
    </>
  );
}

interface HeaderRowProps {
  header: HeaderDraft;
  /** Whether the daemon has a value, which is kept if the field is empty. */
  isStored: boolean;
  nameError: string | undefined;
  valueError: string | undefined;
  edit: (part: Partial<HeaderDraft>) => void;
  remove: () => void;
}

function HeaderRow({ header, isStored, nameError, valueError, edit, remove }: HeaderRowProps) {
  const { name, value, secret } = header;
  const label = name.trim() === '' ? 'the header' : name.trim();
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
        aria-label={`Value of ${label}`}
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
        aria-label={`Secret: ${label}`}
        checked={secret}
        onChange={({ currentTarget }) => edit({ secret: currentTarget.checked })}
      />
      <ActionIcon aria-label={`Remove ${label}`} onClick={remove}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}
