import { Combobox, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useId, useState, type KeyboardEvent } from 'react';
import type { Target } from '@contract/target';
import { Dialog } from '../../components/dialog';
import { ResumeDialog } from '../targets/resume-dialog';
import { matchCommands } from './command';
import classes from './command-palette.module.css';
import { useCommands } from './use-commands';
import { useFoundCommands } from './use-found-commands';

interface CommandPaletteProps {
  opened: boolean;
  close: () => void;
  openHelp: () => void;
  /** Takes what was typed before the field had the focus. */
  takeEarlyKeys: () => string;
}

/** Finds screens, targets, entities, events and actions by typing, and opens or runs one. */
export function CommandPalette({ opened, close, ...others }: CommandPaletteProps) {
  // Mantine returns the focus only from a dialog that is opened after it was mounted.
  const isMounted = useDeferredValue(true, false);
  const [resuming, setResuming] = useState<Target | null>(null);
  return (
    <>
      <Dialog title="Command palette" opened={opened && isMounted} close={close} size="lg" isSearch>
        <Palette close={close} askToResume={setResuming} {...others} />
      </Dialog>
      <ResumeDialog
        targets={resuming === null ? [] : [resuming]}
        opened={resuming !== null}
        close={() => setResuming(null)}
      />
    </>
  );
}

interface PaletteProps extends Omit<CommandPaletteProps, 'opened'> {
  /** Asks before the queue of a target is sent. */
  askToResume: (target: Target) => void;
}

/**
 * A text field with a list: the arrow keys select in the list while the field keeps the focus (ARIA combobox). The selection is
 * kept here, since that of Mantine's store is announced only after an arrow key, and is lost when the list changes.
 */
function Palette({ close, openHelp, askToResume, takeEarlyKeys }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const groups = matchCommands([...useFoundCommands(text), ...useCommands(openHelp, askToResume)], text);
  const shown = groups.flatMap(([, found]) => found);
  // Without a choice, or if that is not shown any more, Enter takes the first one.
  const at = Math.max(
    0,
    shown.findIndex((command) => command.id === chosen),
  );
  const selected = shown[at];
  const optionId = (commandId: string) => `${id}-${commandId}`;
  const selectedId = selected === undefined ? undefined : optionId(selected.id);
  useEffect(() => {
    if (selectedId !== undefined) document.getElementById(selectedId)?.scrollIntoView({ block: 'nearest' });
  }, [selectedId]);
  const run = (command: (typeof shown)[number]) => {
    close();
    command.run();
  };
  const onKeyDown = (press: KeyboardEvent) => {
    const step = press.key === 'ArrowDown' ? 1 : press.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen(shown.at((at + step) % shown.length)?.id ?? null);
    else if (press.key === 'Enter' && !press.nativeEvent.isComposing && selected !== undefined) run(selected);
    else return;
    press.preventDefault();
  };
  return (
    <Combobox>
      <TextInput
        {...COMBOBOX}
        aria-controls={`${id}-list`}
        aria-activedescendant={selectedId}
        data-autofocus
        aria-label="Screen, target, entity, event or action"
        placeholder="Screen, target, deal:42, text or “pause …”"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onFocus={() => setText((before) => before + takeEarlyKeys())}
        onKeyDown={onKeyDown}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(null);
        }}
        autoComplete="off"
        spellCheck={false}
      />
      <Combobox.Options id={`${id}-list`} aria-label="Matches" className={classes.list}>
        {groups.map(([group, found]) => (
          <Combobox.Group key={group} label={group} classNames={{ groupLabel: classes.group }}>
            {found.map((command) => (
              <Combobox.Option
                key={command.id}
                id={optionId(command.id)}
                value={command.id}
                aria-selected={command === selected}
                className={classes.option}
                onClick={() => run(command)}
              >
                <bdi className={classes.label}>{command.label}</bdi>
                {command.hint !== undefined && <bdi className={classes.hint}>{command.hint}</bdi>}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
      <output className={classes.none}>{shown.length === 0 && 'Nothing matches.'}</output>
    </Combobox>
  );
}

const COMBOBOX = { role: 'combobox', 'aria-expanded': true, 'aria-autocomplete': 'list' } as const;
