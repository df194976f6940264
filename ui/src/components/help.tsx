import { ActionIcon, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHelpCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { FormPopover } from './form-popover';
import classes from './help.module.css';

interface HelpProps {
  about: string;
  /** The part of the API description that has its fields. */
  schema: string;
  children: ReactNode;
}

/** A button beside a word that explains it. */
export function Help({ about, schema, children }: HelpProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <FormPopover opened={opened} onChange={close} position="bottom-start" width={300}>
      <Popover.Target>
        <ActionIcon size={24} aria-label={`About: ${about}`} className={classes.button} onClick={toggle}>
          <IconHelpCircle size={14} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes.text}>
        {children}
        <a href={`/docs/api#${schema}`} target="_blank" rel="noreferrer">
          API description
        </a>
      </Popover.Dropdown>
    </FormPopover>
  );
}
