import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { SavedView, SavedViewChange, SavedViewCreate } from '../../contract/saved-view';
import { Journal } from '../database/journal/journal';
import { upsert } from '../database/journal/statements';
import { setAuditSubject } from '../ground/audit-context';
import { Clock } from '../ground/clock';
import { foldText } from '../ground/fold-text';
import { newId } from '../ground/ids';
import { Random } from '../ground/random';
import { RelayError } from '../ground/relay-error';
import { SerialQueue } from '../ground/serial-queue';

const MAX_VIEWS = 100;

/** The saved views, all in memory, as only one daemon at a time serves them. */
@Injectable()
export class SavedViewsService implements OnModuleInit {
  private views: readonly SavedView[] = [];
  private readonly queue = new SerialQueue();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows =
      await this.source.query<(Omit<SavedView, 'pinned'> & { pinned: number })[]>(
        'SELECT * FROM saved_views',
      );
    this.views = rows.map((row) => ({ ...row, pinned: row.pinned === 1 })).toSorted(byName);
  }

  /** Ordered by name. */
  list(): readonly SavedView[] {
    return this.views;
  }

  /** @throws RelayError `saved_view_name_taken`, `too_many_saved_views`, 409 */
  create(input: SavedViewCreate): Promise<SavedView> {
    return this.queue.run(async () => {
      if (this.views.length >= MAX_VIEWS) throw tooMany();
      return this.store({ id: newId('viw', this.clock.now(), this.random), ...input });
    });
  }

  /** @throws RelayError `saved_view_unknown`, 404; `saved_view_name_taken`, 409 */
  change(id: string, changes: SavedViewChange): Promise<SavedView> {
    return this.queue.run(async () => {
      const { name, address, pinned } = this.get(id);
      return this.store({
        id,
        name: changes.name ?? name,
        address: changes.address ?? address,
        pinned: changes.pinned ?? pinned,
      });
    });
  }

  /** @throws RelayError `saved_view_unknown`, 404 */
  remove(id: string): Promise<void> {
    return this.queue.run(async () => {
      setAuditSubject(this.get(id));
      await this.journal.change({ statements: [['DELETE FROM saved_views WHERE id = ?', [id]]] });
      this.views = this.others(id);
    });
  }

  private get(id: string): SavedView {
    const view = this.views.find((one) => one.id === id);
    if (view !== undefined) return view;
    throw new RelayError('saved_view_unknown', 404, `There is no saved view ${id}.`, {
      remedy: 'It may have been deleted. GET /api/v1/saved-views lists the others.',
    });
  }

  private others(id: string): SavedView[] {
    return this.views.filter((one) => one.id !== id);
  }

  private async store(view: SavedView): Promise<SavedView> {
    const others = this.others(view.id);
    const namesake = others.find(({ name }) => foldText(name) === foldText(view.name));
    if (namesake !== undefined) throw nameTaken(namesake.name);
    setAuditSubject(view);
    const row = { ...view, pinned: Number(view.pinned) };
    await this.journal.change({ statements: [upsert('saved_views', 'id', row)] });
    this.views = [...others, view].toSorted(byName);
    return view;
  }
}

const byName = (one: SavedView, other: SavedView) => (foldText(one.name) < foldText(other.name) ? -1 : 1);

const nameTaken = (name: string) =>
  new RelayError('saved_view_name_taken', 409, `There is a saved view “${name}” already.`, {
    remedy: 'Choose another name, or change or delete that view.',
  });

const tooMany = () =>
  new RelayError('too_many_saved_views', 409, `There are ${MAX_VIEWS} saved views, the maximum.`, {
    remedy: 'Delete views that are no longer used.',
  });
