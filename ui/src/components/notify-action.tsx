import { Button, Group, Kbd } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useShortcuts } from './use-shortcuts';

const SHOWN_FOR_MS = 20_000;
const UNDO_KEY = 'z';

/**
 * Shows that something was done, and for twenty seconds a button and a key that undo it.
 * @param id for hiding it once that was undone otherwise
 */
export const notifyUndoable = (message: string, undo: () => void, id?: string): void =>
  notifyAction(message, 'Undo', undo, { shortcut: UNDO_KEY, id });

interface ActionOptions {
  shortcut?: string;
  id?: string | undefined;
}

/** Shows that something was done, and for twenty seconds a button for what may follow. */
export function notifyAction(
  message: string,
  label: string,
  action: () => void,
  { shortcut, id: given }: ActionOptions = {},
): void {
  const id = notifications.show({
    ...(given !== undefined && { id: given }),
    autoClose: SHOWN_FOR_MS,
    message: (
      <WithAction
        message={message}
        label={label}
        action={() => {
          notifications.hide(id);
          action();
        }}
        shortcut={shortcut}
      />
    ),
  });
}

interface WithActionProps {
  message: string;
  label: string;
  action: () => void;
  shortcut: string | undefined;
}

function WithAction({ message, label, action, shortcut }: WithActionProps) {
  // Several may be shown: the newest, which is the last, is undone first.
  useShortcuts(
    shortcut === undefined
      ? {}
      : {
          [shortcut]: () =>
            [...document.querySelectorAll<HTMLElement>(`[aria-keyshortcuts=${shortcut}]`)].at(-1)?.click(),
        },
  );
  return (
    <Group justify="space-between" wrap="nowrap">
      <span>{message}</span>
      <Button
        flex="none"
        onClick={action}
        aria-keyshortcuts={shortcut}
        rightSection={
          shortcut !== undefined && (
            <Kbd size="xs" visibleFrom="xs">
              {shortcut}
            </Kbd>
          )
        }
      >
        {label}
      </Button>
    </Group>
  );
}
