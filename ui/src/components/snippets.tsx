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
    <Tabs defaultValue="0" keepMounted={false}>
      <Tabs.List aria-label={label}>
        {snippets.map(({ name }, index) => (
          // Its value becomes part of an id, which has no spaces.
          <Tabs.Tab key={name} value={String(index)}>
            {verb}
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, code }, index) => (
        <Tabs.Panel key={name} value={String(index)} className={classes.panel}>
          <div className={classes.copy}>
            <CopyButton value={code} label={`Copy the ${name} code`} />
          </div>
          <TextBlock>{code}</TextBlock>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
