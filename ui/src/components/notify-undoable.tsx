import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';

const UNDOABLE_FOR_MS = 10_000;

/** Shows that something was done, and for ten seconds a button that undoes it. */
export function notifyUndoable(message: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: UNDOABLE_FOR_MS,
    message: (
      <Group justify="space-between">
        <span>{message}</span>
        <Button
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
}
