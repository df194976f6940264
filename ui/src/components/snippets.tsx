import { Tabs } from '@mantine/core';
import { CopyButton } from './copy-button';
import classes from './snippets.module.css';
import { TextBlock } from './text-block';

interface SnippetsProps {
  label: string;
  snippets: readonly { name: string; code: string }[];
  /** Before each name, in its tab. */
  verb?: string;
}

/** Pieces of code to copy, one of them shown. */
export function Snippets({ label, snippets, verb = '' }: SnippetsProps) {
  return (
    <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
      <Tabs.List aria-label={label}>
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {verb}
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} className={classes.panel}>
          <div className={classes.copy}>
            <CopyButton value={code} label={`Copy the ${name} code`} />
          </div>
          <TextBlock>{code}</TextBlock>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
