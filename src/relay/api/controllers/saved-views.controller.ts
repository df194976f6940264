import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import * as contract from '../../../contract/saved-view';
import { Access } from '../../access/access.decorator';
import { Fails, Returns } from '../../http/responses';
import { SavedViewsService } from '../../saved-views/saved-views.service';

@Controller('api/v1/saved-views')
export class SavedViewsController {
  constructor(private readonly views: SavedViewsService) {}

  @Get()
  @Access('read')
  @Returns(200, contract.savedViews, 'All saved views, by name')
  listSavedViews(): contract.SavedViews {
    return { data: [...this.views.list()] };
  }

  @Post()
  @Access('operate', 'saved_view.create')
  @Returns(201, contract.savedView, 'The new saved view')
  @Fails('saved_view_name_taken', 'too_many_saved_views')
  createSavedView(
    @Body({ schema: contract.savedViewCreate }) input: contract.SavedViewCreate,
  ): Promise<contract.SavedView> {
    return this.views.create(input);
  }

  @Patch(':id')
  @Access('operate', 'saved_view.change')
  @Returns(200, contract.savedView, 'The changed saved view')
  @Fails('saved_view_name_taken')
  changeSavedView(
    @Param('id') id: string,
    @Body({ schema: contract.savedViewChange }) changes: contract.SavedViewChange,
  ): Promise<contract.SavedView> {
    return this.views.change(id, changes);
  }

  @Delete(':id')
  @Access('operate', 'saved_view.remove')
  @Returns(204, null, 'The saved view is deleted')
  removeSavedView(@Param('id') id: string): Promise<void> {
    return this.views.remove(id);
  }
}
