import { Button, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBookmarks } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { SavedView } from '@contract/saved-view';
import { changeView, deleteView, savedViewsQuery, saveView } from '../../api/saved-views';
import { ErrorNote } from '../../components/error-note';
import { FormPopover } from '../../components/form-popover';
import { notifyFailure } from '../../components/notify-failure';
import { notifyUndoable } from '../../components/notify-action';
import { useDenial } from '../../components/use-denial';
import { stringifySearch } from '../../search/query-string';
import { savedViewLink } from '../../search/saved-view-link';
import { NameForm } from './name-form';
import { SavedViewRow } from './saved-view-row';
import classes from './saved-views-menu.module.css';

interface SavedViewsMenuProps {
  screen: '/events' | '/entities' | '/targets' | '/failures';
  /** What the screen shows. */
  search: object;
  /** Reads what the screen shows from the parameters of an address. */
  parse: (search: Record<string, unknown>) => object;
}

/** Opens, saves, renames, pins and deletes views of this screen, which all operators share. */
export function SavedViewsMenu({ screen, search, parse }: SavedViewsMenuProps) {
  const cache = useQueryClient();
  const [opened, { open, close }] = useDisclosure(false);
  const [editing, setEditing] = useState<string | null>(null);
  const dropdown = useRef<HTMLDivElement>(null);
  const { data = [], refetch } = useQuery(savedViewsQuery);
  const views = data.filter((view) => savedViewLink(view).to === screen);
  const denial = useDenial('operate', 'Saving a view');
  const addressOf = (shown: object) => screen + stringifySearch({ ...shown });
  const address = addressOf(search);
  // Written by hand, an address may have its parameters in another order.
  const current = views.find((view) => addressOf(parse({ ...savedViewLink(view).search })) === address);
  const reload = () => cache.invalidateQueries({ queryKey: savedViewsQuery.queryKey });
  const action = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSuccess: async () => {
      await reload();
      setEditing(null);
      // What had the focus may be gone.
      dropdown.current?.focus();
    },
  });
  const remove = ({ id, ...view }: SavedView) =>
    action.mutate(async () => {
      await deleteView(id);
      const undo = () => saveView(view).then(reload, notifyFailure(`Could not restore ${view.name}`));
      notifyUndoable(`${view.name} deleted`, () => void undo());
    });
  const edit = (id: string | null) => {
    action.reset();
    setEditing(id);
    if (id === null) dropdown.current?.focus();
  };
  const toggle = () => {
    edit(null);
    // Others may have changed them.
    if (!opened) void refetch();
    (opened ? close : open)();
  };
  return (
    <FormPopover opened={opened} onChange={close} position="bottom-start" width={320}>
      <Popover.Target>
        <Button leftSection={<IconBookmarks size={14} aria-hidden />} onClick={toggle}>
          <span className={classes.current}>{current === undefined ? 'Views' : `View: ${current.name}`}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown ref={dropdown} className={classes.dropdown}>
        {views.length === 0 && (
          <p className={classes.hint}>
            A saved view is a name for the filters, columns and times of this screen.
          </p>
        )}
        <ul className={classes.views} aria-label="Views of all operators">
          {views.map((view) => (
            <SavedViewRow
              key={view.id}
              view={view}
              isCurrent={view === current}
              isEditing={view.id === editing}
              mayChange={denial === null}
              edit={edit}
              close={close}
              pending={action.isPending}
              replace={view === current ? undefined : { address }}
              change={(changes) => action.mutate(() => changeView(view.id, changes))}
              remove={() => remove(view)}
            />
          ))}
        </ul>
        {action.error !== null && <ErrorNote error={action.error} />}
        {denial !== null && <p className={classes.hint}>{denial}</p>}
        {denial === null && editing === null && current === undefined && (
          <NameForm
            key={views.length}
            label="Save what is shown as"
            initial=""
            submitLabel="Save view"
            pending={action.isPending}
            submit={(name) => action.mutate(() => saveView({ name, address, pinned: false }))}
          />
        )}
      </Popover.Dropdown>
    </FormPopover>
  );
}
