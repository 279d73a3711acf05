import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { PageOf, type Page } from '../rest/page.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { CommandBody, ExecuteCommandBody } from './commands.dto.js';
import { Commands } from './commands.service.js';

/** docs/reference/control-plane.md#slash-commands. */
@ApiTags('slash commands')
@Controller('commands')
export class CommandsController {
  constructor(private readonly commands: Commands) {}

  @Get()
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: "The workspace's slash commands" })
  list(@RestCaller() caller: Identity, @PageOf() page: Page): Promise<object> {
    return this.commands.list(caller, page);
  }

  @Post()
  @Callers(['J', 'U', 'B'], { botScope: 'commands', counts: true })
  @ApiOperation({ summary: 'Make a slash command of an app. 409 command_taken' })
  create(@RestCaller() caller: Identity, @RestBody() body: CommandBody): Promise<object> {
    return this.commands.create(caller, body);
  }

  @Delete(':id')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Remove a slash command: its app or an admin' })
  async remove(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    await this.commands.remove(caller, id);
    return { success: true };
  }

  @Post('execute')
  @HttpCode(200)
  @Callers(['J', 'U', 'B'], { counts: true })
  @ApiOperation({ summary: 'Give a slash command as the caller and wait for its app. 502 when the app fails' })
  execute(@RestCaller() caller: Identity, @RestBody() body: ExecuteCommandBody): Promise<object> {
    return this.commands.execute(caller, body);
  }
}
