// What a document means beyond its shape: names that must agree, values that must fit each other, files
// that must exist. One file a part of the document.
import type { Faults } from '../faults.js';
import { checkClients } from './clients.js';
import { CheckContext, members } from './context.js';
import { checkMcpServers } from './mcp-servers.js';
import { checkPolicies } from './policies.js';
import { checkServer } from './server.js';
import { checkTools } from './tools.js';

/** Adds faults to `faults`; returns warnings. The document need not have the right shape. */
export function checkMeaning(document: unknown, faults: Faults, directory: string): string[] {
  const context = new CheckContext(faults, directory);
  const root = members(document);
  checkServer(context, root['server']);
  checkClients(context, root['clients']);
  checkPolicies(context, root);
  checkTools(context, root);
  checkMcpServers(context, root['mcp_servers']);
  return context.warnings;
}
