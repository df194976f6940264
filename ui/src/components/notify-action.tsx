import { Button, Group, Kbd } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useShortcuts } from './use-shortcuts';

const UNDOABLE_FOR_MS = 20_000;
const UNDO_KEY = 'z';

/** Shows that something was done, and for twenty seconds a button and a key that undo it. */
export function notifyUndoable(message: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: UNDOABLE_FOR_MS,
    message: (
      <Undoable
        message={message}
        undo={() => {
          notifications.hide(id);
          undo();
        }}
      />
    ),
  });
}

function Undoable({ message, undo }: { message: string; undo: () => void }) {
  // Several may be shown: the newest, which is the last, is undone first.
  useShortcuts({
    [UNDO_KEY]: () => [...document.querySelectorAll<HTMLElement>('[data-undo]')].at(-1)?.click(),
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <span>{message}</span>
      <Button
        flex="none"
        onClick={undo}
        aria-keyshortcuts={UNDO_KEY}
        data-undo
        rightSection={
          <Kbd size="xs" visibleFrom="xs">
            {UNDO_KEY}
          </Kbd>
        }
      >
        Undo
      </Button>
    </Group>
  );
}
