// How we introduce ourselves to MCP servers.
import { VERSION } from '../../version.js';

export const CLIENT_INFO = { name: 'toolgate', version: VERSION } as const;
