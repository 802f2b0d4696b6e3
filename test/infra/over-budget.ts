/** What an endpoint carries besides the table's client, and may therefore weigh more. */
export const overBudget: Record<string, string> = {
  'agents-test-run': 'the Bedrock client',
  'contacts-batch': 'every operation that a batch may hold, with the entities that name a contact',
  'email-create-message': 'the same as of a reply',
  'email-create-reply': 'the HTML sanitiser, which reads HTML and the CSS of its style attributes',
  'mcp-post': 'every operation that has a tool, the HTML sanitiser and the Bedrock client',
  'telegram-connect': 'undici: it asks Telegram whose token it is',
  'telegram-create-account': 'undici: it asks Telegram whose token it is',
  'telegram-disconnect': 'undici: it has Telegram forget the webhook',
  'webhooks-test': 'undici, whose parser of HTTP is WebAssembly: it sends the test delivery',
};
