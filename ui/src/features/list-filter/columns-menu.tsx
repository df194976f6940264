import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { payloadFieldsQuery } from '../../api/targets';
import { MAX_COLUMNS } from '../../search/events-search';
import { FormPopover } from '../../components/form-popover';
import classes from './columns-menu.module.css';

const ANY_TYPE = ['*'];

interface ColumnsMenuProps {
  columns: readonly string[];
  /** The types of the events whose fields are offered. */
  types: string[] | undefined;
  onChange: (columns: string[]) => void;
}

/** Selects fields of the payload to show as columns. */
export function ColumnsMenu({ columns, types, onChange }: ColumnsMenuProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [text, setText] = useState('');
  const { data } = useQuery({ ...payloadFieldsQuery(types ?? ANY_TYPE), enabled: opened });
  const samples = new Map(data?.fields.map((field) => [field.path, String(field.samples[0] ?? '')]));
  const wanted = text.trim().toLowerCase();
  const found = [...new Set([...columns, ...samples.keys()])].filter((path) =>
    path.toLowerCase().includes(wanted),
  );
  const isFull = columns.length >= MAX_COLUMNS;
  return (
    <FormPopover opened={opened} onChange={close} position="bottom-end" width={320}>
      <Popover.Target>
        <Button leftSection={<IconColumns3 size={14} aria-hidden />} onClick={toggle}>
          Columns{columns.length > 0 && ` (${columns.length})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns" className={classes.dropdown}>
        <TextInput
          aria-label="Find a payload field"
          placeholder="Find a payload field"
          autoComplete="off"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <ul className={classes.fields}>
          {found.map((path) => {
            const isShown = columns.includes(path);
            return (
              <li key={path}>
                <Checkbox
                  size="xs"
                  checked={isShown}
                  disabled={isFull && !isShown}
                  label={
                    <>
                      {path} <span className={classes.sample}>{samples.get(path)}</span>
                    </>
                  }
                  onChange={() =>
                    onChange(isShown ? columns.filter((one) => one !== path) : [...columns, path])
                  }
                />
              </li>
            );
          })}
        </ul>
        {data !== undefined && found.length === 0 && (
          <p className={classes.sample}>No field of the listed events has this name.</p>
        )}
        {isFull && <p className={classes.sample}>At most {MAX_COLUMNS} columns.</p>}
      </Popover.Dropdown>
    </FormPopover>
  );
}
