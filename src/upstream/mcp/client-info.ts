// How we introduce ourselves to MCP servers.

export const CLIENT_INFO = { name: 'toolgate', version: '0.1.0' } as const;
